import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metric } from '../../../../../src/simulator/metrics/metric.ts';
import {
  count,
  counted,
  duration,
  inUnit,
  short,
  signed,
  UNKNOWN,
} from '../../../../../src/simulator/report/html/page/numbers.js';
import { formatValue } from '../../../../../src/simulator/report/numbers.ts';

const UNITS: readonly Metric['unit'][] = ['tokens', 'count', 'usd', 'ms', 'ratio', 'factor'];
const OF_FRACTIONS = ['usd', 'ratio', 'factor'] as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('inUnit', () => {
  it('reads whole numbers as tables of text have them', () => {
    const numbers = fc.property(fc.integer(), fc.constantFrom(...UNITS), (value, unit) => {
      expect(inUnit(value, unit)).toBe(formatValue(value, unit));
    });
    fc.assert(numbers);
  });

  it('reads fractions as tables of text have them', () => {
    const fraction = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const numbers = fc.property(fraction, fc.constantFrom(...OF_FRACTIONS), (value, unit) => {
      expect(inUnit(value, unit)).toBe(formatValue(value, unit));
    });
    fc.assert(numbers);
  });

  it.each(UNITS)('says of an unknown number in %s that it is unknown', (unit) => {
    expect([inUnit(null, unit), inUnit(undefined, unit)]).toEqual([UNKNOWN, UNKNOWN]);
  });
});

describe('count', () => {
  it.each<[string, number | null, string]>([
    ['sets thousands apart', 1_234_567, '1,234,567'],
    ['rounds large fractions', 12.6, '13'],
    ['has one decimal of smaller ones', 1.26, '1.3'],
    ['has two digits below one', 0.0456, '0.046'],
    ['has four decimals at most', 0.000_049, '0'],
    ['has a sign only where something is left', -0.000_049, '0'],
    ['has a sign', -1_234, '-1,234'],
    ['does not know', null, UNKNOWN],
  ])('%s', (_, value, expected) => {
    expect(count(value)).toBe(expected);
  });
});

describe('counted', () => {
  it.each([
    [0, '0 rows'],
    [1, '1 row'],
    [1_200, '1,200 rows'],
  ])('%i', (value, expected) => {
    expect(counted(value, 'row')).toBe(expected);
  });
});

describe('signed', () => {
  it.each<[number, string, string]>([
    [3, 'count', '+3'],
    [-3, 'count', '-3'],
    [0, 'count', '0'],
    [0.000_01, 'usd', '$0.0000'],
    [0.02, 'usd', '+$0.0200'],
  ])('%d in %s', (value, unit, expected) => {
    expect(signed(value, unit)).toBe(expected);
  });
});

describe('short', () => {
  it.each([
    [999, '999'],
    [1_500, '1.5k'],
    [2_345_678, '2.35M'],
    [-32_000, '-32k'],
  ])('%i', (value, expected) => {
    expect(short(value)).toBe(expected);
  });
});

describe('duration', () => {
  it.each<[string, number, string]>([
    ['seconds', 59_400, '59 s'],
    ['minutes', 59.4 * MINUTE, '59 min'],
    ['whole hours', 2 * HOUR, '2 h'],
    ['hours with minutes', 3 * HOUR + 12 * MINUTE, '3 h 12 min'],
    ['hours up to two days', 47 * HOUR, '47 h'],
    ['days with hours', 49 * HOUR, '2 d 1 h'],
  ])('tells %s', (_, ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });
});
