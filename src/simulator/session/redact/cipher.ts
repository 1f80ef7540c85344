import { scryptSync } from 'node:crypto';
import { createRandom } from '../../env.ts';
import { isAllowedValue } from './allowed.ts';
import type { Classes } from './character-class.ts';
import { replaceUnits } from './units.ts';

/** The pieces of a URL; the first one is kept. */
interface Address {
  readonly kept: string;
  readonly mime: string;
  readonly parameters: string;
  readonly payload: string;
  readonly rest: string;
}

/** Replacements within a URL. */
interface AddressRedaction {
  readonly text: (text: string) => string;
  readonly payload: (payload: string) => string;
}

/** A keyed hash of 32 bits; it cannot be guessed without the key. */
export type KeyedHash = (text: string) => number;

/** HalfSipHash state: half of SipHash's 256 bits, in 32-bit words. */
interface State {
  a: number;
  b: number;
  c: number;
  d: number;
}

/** The key of a hash. */
interface Key {
  readonly low: number;
  readonly high: number;
}

const ROUNDS = 4;

/** An integer whose digits survive conversion to a number. */
const INTEGER = /^(-?)([1-9]\d{0,14})$/;
const MAX_TRIES = 64;
const BASE = 10;
/** Multipliers that are invertible modulo a power of ten. */
const MULTIPLIERS = [1, 3, 7, 9] as const;

const DATA_ADDRESS = /^(data:)([^;,]*)((?:;[^,]*)?),/i;
const SCHEME = /^(?:https?|file):(?=\/\/)/;
const BASE64 = ';base64';
const MAIN_TYPE = /^(?:image|text|audio|video|application|font)\/(?=.)/;

const START_C = 0x6c796765;
const START_D = 0x74656462;
const FINISH = 0xff;
const ROUNDS_PER_WORD = 2;
const FINAL_ROUNDS = 4;
/** Makes each guess of a salt cost a good part of a second, and 64 MB. Source: RFC 7914. */
const STRETCHING = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };
/** Salts of this program's own. */
const PURPOSE = 'compaction-bench redaction';
const KEY_BYTES = 8;

/**
 * Maps ids to ids of the same shape, one to one under a key, so that files share them. Source: Feistel (1973), with halves that are
 * turned and not mixed.
 */
export function createIdCipher(hash: KeyedHash, classes: Classes): (id: string) => string {
  const turn = (half: readonly string[], key: string): readonly string[] => {
    const random = createRandom(hash(`id ${key}`));
    return half.map((character) => classes.turn(character, random()));
  };
  const encipher = (unit: string): string => {
    const characters = Array.from(unit);
    const middle = Math.floor(characters.length / 2);
    let [left, right] = [characters.slice(0, middle), characters.slice(middle)] as [
      readonly string[],
      readonly string[],
    ];
    if (left.length === 0) return turn(right, classes.shapeOf(unit)).join('');
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 2 === 0) left = turn(left, `${round} ${left.length} ${right.join('')}`);
      else right = turn(right, `${round} ${right.length} ${left.join('')}`);
    }
    return [...left, ...right].join('');
  };
  return (id) => replaceUnits(id, ({ unit }) => encipher(unit));
}

/** Maps digits to as many others, one to one, and none to itself: multiplier and addend are odd and never cancel out. */
export function shiftDigits(digits: string, key: string, hash: KeyedHash): string {
  const modulus = BASE ** digits.length;
  const keyed = hash(`${digits.length} ${key}`);
  const multiplier = (MULTIPLIERS[keyed % MULTIPLIERS.length] ?? 1) + BASE * ((keyed >>> 2) & 0xff);
  const added = 2 * ((keyed >>> 10) % (modulus / 2)) + 1;
  return String((Number(digits) * multiplier + added) % modulus).padStart(digits.length, '0');
}

/** Maps numbers to others of the same written length, whole numbers one to one. Zero stays. */
export function createNumberCipher(
  hash: KeyedHash,
  encipher: (digits: string) => string,
): (value: number) => number {
  return (value) => {
    const text = String(value);
    const [, sign = '', digits] = INTEGER.exec(text) ?? [];
    if (digits !== undefined) return Number(sign + encipherWithoutZero(digits, encipher));
    return Number.isFinite(value) ? redrawDigits(value, hash) : value;
  };
}

/** Keeps the scheme of a URL and the known media type of a data URL, and replaces the rest. */
export function redactAddress(address: string, { text, payload }: AddressRedaction): string {
  const pieces = splitAddress(address);
  const parameters = pieces.parameters === BASE64 ? BASE64 : text(pieces.parameters);
  const mime = redactMime(pieces.mime, text);
  return [pieces.kept, mime, parameters, payload(pieces.payload), text(pieces.rest)].join('');
}

/** Keeps a known media type, and the main type of any other. */
export function redactMime(mime: string, text: (text: string) => string): string {
  if (isAllowedValue('mime', mime)) return mime;
  const [mainType = ''] = MAIN_TYPE.exec(mime) ?? [];
  return mainType + text(mime.slice(mainType.length));
}

/** Replaces data by data of the same length and character classes. */
export function createPayloadRedaction(
  hash: KeyedHash,
  classes: Classes,
): (payload: string) => string {
  return (payload) => {
    const random = createRandom(hash(`payload ${payload}`));
    return replaceUnits(payload, ({ unit }) => classes.fill(classes.shapeOf(unit), random));
  };
}

/** The key of a salt of any length, which takes its time. */
export function stretchSalt(salt: string): Key {
  const bytes = scryptSync(salt, PURPOSE, KEY_BYTES, STRETCHING);
  return { low: bytes.readInt32LE(0), high: bytes.readInt32LE(KEY_BYTES / 2) };
}

/** HalfSipHash-2-4 over UTF-16 units. Source: Aumasson and Bernstein (2012). */
export function createKeyedHash(key: Key): KeyedHash {
  return (text) => hash(text, key);
}

function hash(text: string, { low, high }: Key): number {
  const state: State = { a: low, b: high, c: START_C ^ low, d: START_D ^ high };
  for (let index = 0; index < text.length; index += 2) {
    const next = index + 1 < text.length ? text.charCodeAt(index + 1) : 0;
    mixWord(state, text.charCodeAt(index) | (next << 16));
  }
  mixWord(state, text.length);
  state.c ^= FINISH;
  for (let round = 0; round < FINAL_ROUNDS; round++) mix(state);
  return (state.b ^ state.d) >>> 0;
}

function mixWord(state: State, word: number): void {
  state.d ^= word;
  for (let round = 0; round < ROUNDS_PER_WORD; round++) mix(state);
  state.a ^= word;
}

function mix(state: State): void {
  state.a = (state.a + state.b) | 0;
  state.b = rotate(state.b, 5) ^ state.a;
  state.a = rotate(state.a, 16);
  state.c = (state.c + state.d) | 0;
  state.d = rotate(state.d, 8) ^ state.c;
  state.a = (state.a + state.d) | 0;
  state.d = rotate(state.d, 7) ^ state.a;
  state.c = (state.c + state.b) | 0;
  state.b = rotate(state.b, 13) ^ state.c;
  state.c = rotate(state.c, 16);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Repeats the cipher until no zero leads, which stays one to one. */
function encipherWithoutZero(digits: string, encipher: (digits: string) => string): string {
  let other = encipher(digits);
  while (other.startsWith('0')) other = encipher(other);
  return other;
}

function redrawDigits(value: number, hash: KeyedHash): number {
  const text = String(value);
  const random = createRandom(hash(`number ${text}`));
  let other = value;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    other = Number(replaceDigits(text, random));
    if (other !== value && String(other).length === text.length) return other;
  }
  return other === value ? 0 : other;
}

/** Zeros stay, because leading and trailing ones are not written; so does the exponent. */
function replaceDigits(text: string, random: () => number): string {
  const [mantissa = '', ...exponent] = text.split('e');
  const other = mantissa.replaceAll(/[1-9]/g, () => String(1 + Math.floor(random() * (BASE - 1))));
  return [other, ...exponent].join('e');
}

function splitAddress(address: string): Address {
  const none = { kept: '', mime: '', parameters: '', payload: '', rest: '' };
  const data = DATA_ADDRESS.exec(address);
  if (data !== null) {
    const [all, kept = '', mime = '', parameters = ''] = data;
    return { ...none, kept, mime, parameters, payload: address.slice(all.length - 1) };
  }
  const [scheme = ''] = SCHEME.exec(address) ?? [];
  return { ...none, kept: scheme, rest: address.slice(scheme.length) };
}
