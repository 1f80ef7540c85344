import { createRandom } from '../../env.ts';
import type { KeyedHash } from './keyed-hash.ts';

/** A whole number that is written with all its digits, and is read back as it was. */
const INTEGER = /^(-?)([1-9]\d{0,14})$/;
const MAX_TRIES = 64;
const BASE = 10;
/** Multipliers that lead from any number to another one, and from no two to the same. */
const MULTIPLIERS = [1, 3, 7, 9] as const;

/**
 * Another number of as many digits. Under one key no two numbers give the same, and none gives itself: the
 * multiplier is odd and so is what is added, so that the two never cancel out.
 */
export function shiftDigits(digits: string, key: string, hash: KeyedHash): string {
  const modulus = BASE ** digits.length;
  const keyed = hash(`${digits.length} ${key}`);
  const multiplier = (MULTIPLIERS[keyed % MULTIPLIERS.length] ?? 1) + BASE * ((keyed >>> 2) & 0xff);
  const added = 2 * ((keyed >>> 10) % (modulus / 2)) + 1;
  return String((Number(digits) * multiplier + added) % modulus).padStart(digits.length, '0');
}

/** Gives numbers others that are written as long; no two whole numbers give the same. A zero stays. */
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

/** Enciphered until it has as many digits again, which leads from no two numbers to the same. */
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

/** Zeros stay, because where they lead or trail they are not written; so does the exponent. */
function replaceDigits(text: string, random: () => number): string {
  const [mantissa = '', ...exponent] = text.split('e');
  const other = mantissa.replaceAll(/[1-9]/g, () => String(1 + Math.floor(random() * (BASE - 1))));
  return [other, ...exponent].join('e');
}
