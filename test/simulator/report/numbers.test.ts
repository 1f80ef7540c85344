import { describe, expect, it } from 'vitest';
import type { Metric } from '../../../src/simulator/metrics/metric.ts';
import {
  formatCount,
  formatExact,
  formatShare,
  formatUsd,
  formatValue,
  UNKNOWN,
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
