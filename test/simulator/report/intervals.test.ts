import { describe, expect, it } from 'vitest';
import {
  formatEnds,
  joinEnds,
  knownInterval,
  withEnds,
} from '../../../src/simulator/report/intervals.ts';

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
