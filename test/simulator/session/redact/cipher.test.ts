import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCipher,
  shiftDigits,
  stretchSalt,
} from '../../../../src/simulator/session/redact/cipher.ts';
import { step, toolIn, user } from '../../../support/history.ts';
import { hashOf, newRedactor, sessionOf } from './redactors.ts';
import { createCharacters } from '../../../../src/simulator/session/redact/vocabulary.ts';

const cipherOf = (salt: string) => createCipher(hashOf(salt), createCharacters()).id;

const SETS = {
  'single letters': Array.from('abcdefghijklmnopqrstuvwxyz'),
  'single digits': Array.from('0123456789'),
  'short numbers': Array.from({ length: 1_000 }, (_, index) => String(index).padStart(3, '0')),
  'letters with numbers': Array.from(
    { length: 260 },
    (_, index) => `${String.fromCharCode(97 + (index % 26))}${Math.floor(index / 26)}`,
  ),
  calls: Array.from({ length: 2_000 }, (_, index) => `toolu_01Kettle${index + 1_000}`),
};

describe('id', () => {
  it.each(Object.entries(SETS))('gives no two %s the same', (_, ids) => {
    fc.assert(
      fc.property(fc.string(), (salt) => {
        expect(new Set(ids.map(cipherOf(salt))).size).toBe(ids.length);
      }),
      { numRuns: 10 },
    );
  });

  it('gives no single character itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('a', 'Z', '7', 'ж', '水'), (salt, id) => {
        expect(cipherOf(salt)(id)).not.toBe(id);
      }),
    );
  });

  it('keeps the shape, and the relation of an id to one that goes on from it', () => {
    const cipher = cipherOf('pepper');
    const id = '4c2ddfdc-b619-4525-8d03-1950fb1b0257';
    expect(cipher(id)).toMatch(
      /^\d[a-z]\d[a-z]{5}-[a-z]\d{3}-\d{4}-\d[a-z]\d\d-\d{4}[a-z]{2}\d[a-z]\d{4}$/,
    );
    expect(cipher(`${id}/agent`)).toMatch(new RegExp(`^${cipher(id)}/[a-z]{5}$`));
  });

  it('gives something else under another salt', () => {
    expect(SETS.calls.map(cipherOf('a'))).not.toEqual(SETS.calls.map(cipherOf('b')));
  });
});

describe('ids of a redacted session', () => {
  const parent = sessionOf(
    [
      user('m1', 'one kettle'),
      step('m2', [toolIn('t', { status: 'completed', input: {}, output: 'two lids' }, 'Task')]),
    ],
    { sessionId: '4c2ddfdc-b619', sideSessions: [{ callId: 'call-t', sessionId: '8e77-agent' }] },
  );
  const side = sessionOf([user('x1', 'something else, and more of it')], {
    isSide: true,
    sessionId: '8e77-agent',
    parentSessionId: '4c2ddfdc-b619',
  });
  const longer = {
    ...parent,
    messages: [user('m1', 'one kettle'), ...parent.messages.slice(1), user('m3', 'x')],
  };

  it('are the same in the files of one salt, whatever else these say', () => {
    const [redactedParent, redactedSide] = [parent, side].map((session) =>
      newRedactor('salt').redact(session),
    );
    expect(redactedSide?.parentSessionId).toBe(redactedParent?.sessionId);
    expect(redactedSide?.sessionId).toBe(redactedParent?.sideSessions?.[0]?.sessionId);
    expect(redactedSide?.sessionId).not.toBe('8e77-agent');
  });

  it('begin a longer copy as they begin the shorter one', () => {
    const idsOf = (session: typeof parent) =>
      newRedactor('salt')
        .redact(session)
        .messages.map(({ id }) => id);
    expect(idsOf(longer).slice(0, 2)).toEqual(idsOf(parent));
  });
});

const hash = hashOf('pepper');

describe('stretchSalt', () => {
  it('makes a guess of a salt cost time', () => {
    const { cpu } = timed(() => expect(stretchSalt('a')).not.toEqual(stretchSalt('b')));
    expect(cpu).toBeGreaterThan(50_000);
    expect(stretchSalt('a')).toEqual(stretchSalt('a'));
  });
});

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
    expect(texts.map(hashOf('a'))).not.toEqual(texts.map(hashOf('b')));
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

describe('number', () => {
  const redactNumber = createCipher(hash, createCharacters()).number;

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
      // As many digits as come back from every exponent.
      fc
        .double({ noNaN: true, min: -1e300, max: 1e300 })
        .map((value) => Number(value.toPrecision(12)))
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

/** The CPU time of an act, in µs. */
function timed(act: () => void) {
  const before = process.cpuUsage();
  act();
  return { cpu: process.cpuUsage(before).user };
}
