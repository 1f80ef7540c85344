import { describe, expect, it } from 'vitest';
import { formatFixed, formatSigned } from '../../../src/simulator/report/fixed.ts';
import {
  formatPercent,
  formatShortPercent,
  formatSignedPercent,
  percentOf,
} from '../../../src/simulator/report/percent.ts';

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
    [-0.26, '-0.3'],
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
