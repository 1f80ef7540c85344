import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, canonicalJson, endOf, hashUnits } from '../../src/engine/values.ts';
import { contentHash } from '../../src/simulator/lib/json.ts';

/** The same data with the keys of each object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, one]) => [key, reversed(one)]),
  );
}

describe('canonical JSON', () => {
  it('is the same whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('says all that the data says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps keys that mean something to the language', () => {
    const value = JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"c":2,"d":1},"b":1}');
  });

  it('tells half characters apart', () => {
    expect(contentHash('\ud800')).not.toBe(contentHash('\ud801'));
  });
});

describe('hashUnits', () => {
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of %j is the published value of FNV-1a', (text, hash) => {
    expect(hashUnits(text) >>> 0).toBe(hash);
  });
});

it('cuts a text at no half character', () => {
  expect([2, 3, 4].map((length) => beginningOf('a😀b', length))).toEqual(['a', 'a😀', 'a😀b']);
  expect([2, 3, 4, 0].map((length) => endOf('a😀b', length))).toEqual(['b', '😀b', 'a😀b', '']);
});
