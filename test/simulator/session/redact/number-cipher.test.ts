import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClasses } from '../../../../src/simulator/session/redact/character-class.ts';
import { createIdCipher } from '../../../../src/simulator/session/redact/id-cipher.ts';
import { createKeyedHash } from '../../../../src/simulator/session/redact/keyed-hash.ts';
import {
  createNumberCipher,
  shiftDigits,
} from '../../../../src/simulator/session/redact/number-cipher.ts';

const hash = createKeyedHash('pepper');

describe('createKeyedHash', () => {
  it.each([
    ['', 'a'],
    ['a', 'b'],
    ['a', 'aa'],
    ['a', 'a\0'],
    ['ab', 'ba'],
  ])('tells %j from %j', (left, right) => {
    expect(hash(left)).not.toBe(hash(right));
  });

  it('gives something else under another salt', () => {
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
    expect(texts.map(createKeyedHash('a'))).not.toEqual(texts.map(createKeyedHash('b')));
    expect(new Set(texts.map(hash)).size).toBe(texts.length);
  });
});

describe('shiftDigits', () => {
  it.each([1, 2, 3, 4])('gives no two numbers of %d digits the same, and none itself', (digits) => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const numbers = Array.from({ length: 10 ** digits }, (_, index) =>
          String(index).padStart(digits, '0'),
        );
        const shifted = numbers.map((number) => shiftDigits(number, key, hash));
        expect(new Set(shifted)).toEqual(new Set(numbers));
        expect(shifted.filter((number, index) => number === numbers[index])).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('createNumberCipher', () => {
  const redactNumber = createNumberCipher(hash, createIdCipher(hash, createClasses()));

  it.each([0, Number.POSITIVE_INFINITY])('keeps %d', (value) => {
    expect(redactNumber(value)).toBe(value);
  });

  it.each([1, 2, 3, 4])('gives no two whole numbers of %d digits the same', (digits) => {
    const first = 10 ** (digits - 1);
    const numbers = Array.from({ length: 9 * first }, (_, index) => first + index);
    const others = numbers.map(redactNumber);
    expect(others.toSorted((left, right) => left - right)).toEqual(numbers);
    expect(numbers.map((number) => redactNumber(-number))).toEqual(others.map((other) => -other));
  });

  it('hides the difference of two numbers', () => {
    const steps = Array.from(
      { length: 30 },
      (_, index) => redactNumber(483_921 + index) - redactNumber(483_920 + index),
    );
    expect(new Set(steps).size).toBeGreaterThan(20);
  });

  it('replaces a number by another that is written as long', () => {
    const numbers = fc.oneof(
      fc.integer({ min: 1_000 }),
      fc.maxSafeInteger().filter((value) => Math.abs(value) > 999),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((value) => String(value).length > 9),
    );
    fc.assert(
      fc.property(numbers, (value) => {
        const other = redactNumber(value);
        expect(other).not.toBe(value);
        expect(String(other)).toHaveLength(String(value).length);
        expect(redactNumber(value)).toBe(other);
      }),
    );
  });
});
