import { describe, expect, it } from 'vitest';
import type { Metric } from '../../../src/simulator/metrics/metric.ts';
import {
  formatCount,
  formatEnds,
  formatExact,
  formatFixed,
  formatPercent,
  formatShare,
  formatShortPercent,
  formatSigned,
  formatSignedPercent,
  formatUsd,
  formatValue,
  joinEnds,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from '../../../src/simulator/report/numbers.ts';

describe('formatUsd', () => {
  it.each<[number | null, string]>([
    [null, UNKNOWN],
    [0, '$0.0000'],
    [-0, '$0.0000'],
    [0.000_04, '$0.0000'],
    [-0.000_04, '$0.0000'],
    [0.000_06, '$0.0001'],
    [-0.000_06, '-$0.0001'],
    [0.123_45, '$0.1235'],
    [0.999_94, '$0.9999'],
    [0.999_96, '$1.00'],
    [1, '$1.00'],
    [-1.005_1, '-$1.01'],
    [12_345.678, '$12,345.68'],
    [-1_234_567.8, '-$1,234,567.80'],
  ])('%s is %s', (value, shown) => {
    expect(formatUsd(value)).toBe(shown);
  });
});

describe('formatExact', () => {
  it.each<[number, string]>([
    [1_234_567, '1,234,567'],
    [-1_234.567_891, '-1,234.567891'],
    [0.123_456_7, '0.1234567'],
    [1.5e-9, '1.5e-9'],
  ])('%s is %s', (value, shown) => {
    expect(formatExact(value)).toBe(shown);
  });
});

describe('formatValue', () => {
  it.each<[Metric['unit'], number | null, string]>([
    ['usd', 0.5, '$0.5000'],
    ['usd', null, UNKNOWN],
    ['ratio', 0.123_45, '12.3 %'],
    ['ratio', 0, '0.0 %'],
    ['ratio', 1, '100.0 %'],
    ['ratio', null, UNKNOWN],
    ['factor', 1.614, '1.61'],
    ['factor', 0.0884, '0.088'],
    ['factor', null, UNKNOWN],
    ['ms', 1_499, '1 s'],
    ['ms', 1_234_567, '1,235 s'],
    ['ms', 0, '0 s'],
    ['ms', null, UNKNOWN],
    ['tokens', 1_234, '1,234'],
    ['tokens', -1_234_567, '-1,234,567'],
    ['count', 999, '999'],
    ['count', null, UNKNOWN],
  ])('in %s: %s is %s', (unit, value, shown) => {
    expect(formatValue(value, unit)).toBe(shown);
  });
});

describe('formatCount and formatShare', () => {
  it.each<[number | null, string]>([
    [0, '0'],
    [1_000, '1,000'],
    [-100_000, '-100,000'],
    [null, UNKNOWN],
  ])('%s is %s', (value, shown) => {
    expect(formatCount(value)).toBe(shown);
  });

  it.each<[number, number, string]>([
    [1, 3, '33 %'],
    [-1, 4, '-25 %'],
    [1, 0, UNKNOWN],
  ])('%s of %s is %s', (part, whole, shown) => {
    expect(formatShare(part, whole)).toBe(shown);
  });
});

const whole = (end: number) => `${Math.round(end)} %`;

describe('an interval', () => {
  it('has both ends as they are shown', () => {
    expect(joinEnds('1', '∞')).toBe('1 … ∞');
    expect(formatEnds({ low: -1, high: 2 }, whole)).toBe('-1 % … 2 %');
  });

  it('stands behind its number where there is one', () => {
    expect(withEnds('1 %', { low: -1, high: 2 }, whole)).toBe('1 % (-1 % … 2 %)');
    expect(withEnds('1 %', null, whole)).toBe('1 %');
  });

  it('is none where an end is unknown', () => {
    expect(knownInterval({ low: 0, high: 1 })).toEqual({ low: 0, high: 1 });
    expect(knownInterval({ low: null, high: 1 })).toBeNull();
    expect(knownInterval({ low: 0, high: null })).toBeNull();
  });
});

describe('a number with decimals', () => {
  it.each<[number, number, string]>([
    [1.25, 0, '1'],
    [1.25, 2, '1.25'],
    [-0.04, 1, '0.0'],
    [-0.06, 1, '-0.1'],
    [-0.4, 0, '0'],
    [-2.5, 0, '-2'],
  ])('%s with %s is %s', (value, decimals, shown) => {
    expect(formatFixed(value, decimals)).toBe(shown);
  });

  it.each<[number, string]>([
    [0.26, '+0.3'],
    [0.04, '0.0'],
    [0, '0.0'],
    [-0.04, '0.0'],
    [-0.26, '−0.3'],
  ])('has the sign of a difference: %s is %s', (value, shown) => {
    expect(formatSigned(value, 1)).toBe(shown);
  });
});

describe('a share in percent', () => {
  it('is rounded as the part of the whole, not as a share of one', () => {
    expect(percentOf(23, 40)).toBe(57.5);
    expect(formatPercent(0.125)).toBe('13 %');
    expect(formatPercent(0.125, 1)).toBe('12.5 %');
    expect(formatPercent(-0.0001, 1)).toBe('0.0 %');
  });

  it('has a sign where it is a difference', () => {
    expect(formatSignedPercent(0.5, 1)).toBe('+50.0 %');
    expect(formatSignedPercent(-0.5, 1)).toBe('−50.0 %');
    expect(formatSignedPercent(-0.000_1, 1)).toBe('0.0 %');
  });

  it.each<[number, string]>([
    [0.5, '50 %'],
    [1 / 3, '33.3 %'],
    [0.07, '7 %'],
    [1, '100 %'],
  ])('has a tenth only where it needs one: %s is %s', (share, shown) => {
    expect(formatShortPercent(share)).toBe(shown);
  });
});
