import { afterAll, describe, expect, it, vi } from 'vitest';
import { isTooDeep } from '../../../../src/simulator/session/files/source-file.ts';
import {
  createTally,
  LATEST_MS,
  toLocalTime,
  toModel,
  toMoment,
  toTime,
} from '../../../../src/simulator/session/reading/fields.ts';

it.each<[string, string, string?]>([
  ['kettle-1', 'unknown/kettle-1'],
  ['kettle-1', 'tea/kettle-1', 'tea'],
  ['stove/kettle-1', 'stove/kettle-1'],
  ['stove/kettle-1', 'stove/kettle-1', 'tea'],
  ['stove/tea/kettle-1', 'stove/tea/kettle-1'],
  ['litellm_proxy/stove/kettle-1', 'stove/kettle-1'],
  ['litellm_proxy/kettle-1', 'unknown/kettle-1'],
  ['stove/litellm_proxy/kettle-1', 'stove/litellm_proxy/kettle-1'],
])('of the recorded model %s is %s', (recorded, expected, provider) => {
  expect(toModel(recorded, provider)).toBe(expected);
});

describe('time', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  afterAll(() => vi.unstubAllEnvs());

  describe('toTime', () => {
    it.each<[unknown, number]>([
      ['1970-01-01T00:00:01', 1_000],
      ['1970-01-01T00:00:01.5', 1_500],
      ['1970-01-01T00:00:01Z', 1_000],
      ['1970-01-01T01:00:01+01:00', 1_000],
      ['soon', 0],
      [1_700_000_000, 1_700_000_000_000],
      [1_700_000_000.5, 1_700_000_000_500],
      [1_700_000_000_000, 1_700_000_000_000],
      [-1, 0],
      [null, 0],
      [LATEST_MS, LATEST_MS],
      [LATEST_MS + 1, 0],
      [1e308, 0],
      ['275760-09-14T00:00:00Z', 0],
      ['1969-12-31T23:59:59Z', 0],
    ])('takes %j for %i', (recorded, expected) => {
      expect(toTime(recorded)).toBe(expected);
    });
  });

  describe('toLocalTime', () => {
    it.each<[string | undefined, number]>([
      ['1970-01-01T09:00:01', 1_000],
      ['1970-01-01T00:00:01Z', 1_000],
      ['1969-12-31T23:59:59Z', 0],
      ['soon', 0],
      [undefined, 0],
    ])('takes %j for %i', (recorded, expected) => {
      expect(toLocalTime(recorded)).toBe(expected);
    });
  });

  describe('toMoment', () => {
    it.each<[string, unknown, number | undefined]>([
      ['a moment', 1_700_000_000_000, 1_700_000_000_000],
      ['half a millisecond', 0.5, 1],
      ['the last one that dates can name', LATEST_MS, LATEST_MS],
      ['one behind it', LATEST_MS + 1, undefined],
      ['one before 1970', -1, undefined],
      ['no number', Number.NaN, undefined],
      ['a text', '5', undefined],
    ])('reads %s', (_, value, expected) => {
      expect(toMoment(value)).toBe(expected);
    });
  });
});

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

it('names at most twenty types, and shows no more of them than can be printed', () => {
  const tally = createTally();
  const types = Array.from({ length: 30 }, (_, index) => `type-${index}`);
  const first = `\u0007${'x'.repeat(90)}`;
  for (const type of [first, undefined, ...types, 'type-1']) tally.dropUnknown(type);
  const { dropped } = tally.toReport();
  expect(Object.keys(dropped)).toHaveLength(20);
  expect(dropped).toMatchObject({ 'unknown record': 13, 'unknown record "type-1"': 2 });
  expect(Object.keys(dropped)[0]).toBe(`unknown record "\\u{7}${'x'.repeat(39)}…"`);
});

it.each([
  [7, false],
  [nested(500), false],
  [nested(502), true],
  [nested(100_000), true],
])('tells what is nested too deep to be written', (value, expected) => {
  expect(isTooDeep(value)).toBe(expected);
});
