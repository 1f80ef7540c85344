import { createHmac, scryptSync } from 'node:crypto';
import { createRandom } from '../../env.ts';
import { isAllowedValue } from './allowed.ts';
import { type Characters, UNIT } from './characters.ts';

/** A keyed hash of 32 bits; it cannot be guessed without the key. */
export type KeyedHash = (text: string) => number;

/** Replacements of ids, numbers and data, under one key. */
export interface Cipher {
  /** An id of the same shape, one to one, so that files share them. */
  readonly id: (id: string) => string;
  /** A number that is written as long, whole numbers one to one. Zero stays. */
  readonly number: (value: number) => number;
  /** Keeps the scheme of a URL and the known media type of a data URL, and replaces the rest; `text` is for what is no data. */
  address(address: string, text: (text: string) => string): string;
}

const ROUNDS = 4;
/** An integer whose digits survive conversion to a number. */
const INTEGER = /^(-?)([1-9]\d{0,14})$/;
const BASE = 10;
/** Multipliers that are invertible modulo a power of ten. */
const MULTIPLIERS = [1, 3, 7, 9] as const;
const DATA_ADDRESS = /^(data:)([^;,]*)(;[^,]*)?,/i;
const SCHEME = /^(?:https?|file):(?=\/\/)/;
const BASE64 = ';base64';
const MAIN_TYPE = /^(?:image|text|audio|video|application|font)\/(?=.)/;
/** Makes each guess of a salt cost a good part of a second, and 64 MB. Source: RFC 7914. */
const STRETCHING = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };
const PURPOSE = 'compaction-bench redaction';
const KEY_BYTES = 32;

/** The key of a salt of any length, which takes its time. */
export function stretchSalt(salt: string): Uint8Array {
  return scryptSync(salt, PURPOSE, KEY_BYTES, STRETCHING);
}

/** The beginning of HMAC-SHA-256. */
export function createKeyedHash(key: Uint8Array): KeyedHash {
  return (text) => createHmac('sha256', key).update(text).digest().readUInt32LE(0);
}

/** Creates a cipher. */
export function createCipher(hash: KeyedHash, characters: Characters): Cipher {
  const turn = (half: readonly string[], key: string): readonly string[] => {
    const random = createRandom(hash(`id ${key}`));
    return half.map((character) => characters.turn(character, random()));
  };
  // Source: Feistel (1973), with halves that are turned and not mixed.
  const encipher = (unit: string): string => {
    const all = Array.from(unit);
    const middle = Math.floor(all.length / 2);
    if (middle === 0) return turn(all, characters.shapeOf(unit)).join('');
    let left: readonly string[] = all.slice(0, middle);
    let right: readonly string[] = all.slice(middle);
    for (let round = 0; round < ROUNDS; round++) {
      const turned = turn(left, `${round} ${left.length} ${right.join('')}`);
      [left, right] = [right, turned];
    }
    return [...left, ...right].join('');
  };
  const id = (text: string): string => text.replaceAll(UNIT, encipher);

  return {
    id,
    number: (value) => {
      const [, sign = '', digits] = INTEGER.exec(String(value)) ?? [];
      if (digits === undefined) return Number.isFinite(value) ? redrawDigits(value, hash) : value;
      let other = id(digits);
      // Until no zero leads, which stays one to one.
      while (other.startsWith('0')) other = id(other);
      return Number(sign + other);
    },
    address: (address, text) => {
      const data = DATA_ADDRESS.exec(address);
      if (data === null) {
        const [scheme = ''] = SCHEME.exec(address) ?? [];
        return scheme + text(address.slice(scheme.length));
      }
      const [all, kept = '', mime = '', parameters = ''] = data;
      const random = createRandom(hash(`payload ${address}`));
      const payload = address
        .slice(all.length)
        .replaceAll(UNIT, (unit) => characters.fill(unit, random));
      const named = parameters === BASE64 ? BASE64 : text(parameters);
      return `${kept}${redactMime(mime, text)}${named},${payload}`;
    },
  };
}

/** Maps digits to as many others, one to one, and none to itself: multiplier and addend are odd and never cancel out. */
export function shiftDigits(digits: string, key: string, hash: KeyedHash): string {
  const modulus = BASE ** digits.length;
  const keyed = hash(`${digits.length} ${key}`);
  const multiplier = (MULTIPLIERS[keyed % MULTIPLIERS.length] ?? 1) + BASE * ((keyed >>> 2) & 0xff);
  const added = 2 * ((keyed >>> 10) % (modulus / 2)) + 1;
  return String((Number(digits) * multiplier + added) % modulus).padStart(digits.length, '0');
}

/** Keeps a known media type, and the main type of any other. */
export function redactMime(mime: string, text: (text: string) => string): string {
  if (isAllowedValue('mime', mime)) return mime;
  const [mainType = ''] = MAIN_TYPE.exec(mime) ?? [];
  return mainType + text(mime.slice(mainType.length));
}

/** Zeros stay, because leading and trailing ones are not written; so does the exponent. */
function redrawDigits(value: number, hash: KeyedHash): number {
  const [mantissa = '', ...exponent] = String(value).split('e');
  const random = createRandom(hash(`number ${value}`));
  const other = mantissa.replaceAll(/[1-9]/g, (digit) =>
    String(((Number(digit) + Math.floor(random() * (BASE - 2))) % (BASE - 1)) + 1),
  );
  return Number([other, ...exponent].join('e'));
}
