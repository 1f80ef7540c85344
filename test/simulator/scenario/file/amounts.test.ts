import { describe, expect, it } from 'vitest';
import {
  AMOUNT,
  COMPARISON,
  DURATION,
  parseAmount,
  parseComparison,
  parseDuration,
  parseTextMatch,
} from '../../../../src/simulator/scenario/file/amounts.ts';

describe('parseAmount', () => {
  it.each([
    [28, 28],
    ['28', 28],
    ['28k', 28_000],
    ['1.5k', 1_500],
    ['1.1k', 1_100],
    ['0.015k', 15],
    ['1.50000k', 1_500],
    ['2M', 2_000_000],
    ['0.000001M', 1],
    ['1.0', 1],
  ])('reads %j as %i', (text, amount) => {
    expect(parseAmount(text)).toBe(amount);
    expect(String(text)).toMatch(AMOUNT);
  });

  it.each(['1.5', '1.0001k', '0.0015k', '1.00049k', '1.0000001M', '1.5k0'])(
    'knows nothing of a fraction of one: %j',
    (text) => {
      expect(text).not.toMatch(AMOUNT);
    },
  );

  it.each(['', 'k', '1K', '-1', '1e3', '1_000', ' 1', '1 k'])('does not know %j', (text) => {
    expect(text).not.toMatch(AMOUNT);
  });
});

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('reads %s as %i ms', (text, ms) => {
    expect(text).toMatch(DURATION);
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['30', '30 s', '-1s', '1d', 's'])('does not know %j', (text) => {
    expect(text).not.toMatch(DURATION);
  });
});

describe('parseComparison', () => {
  it.each([
    [5, { op: '=', value: 5 }],
    [-0.5, { op: '=', value: -0.5 }],
    ['5', { op: '=', value: 5 }],
    ['= 5', { op: '=', value: 5 }],
    ['!= 0', { op: '!=', value: 0 }],
    ['<5', { op: '<', value: 5 }],
    ['<= 30k', { op: '<=', value: 30_000 }],
    ['> -1.5', { op: '>', value: -1.5 }],
    ['>= 1M', { op: '>=', value: 1_000_000 }],
    ['in 3..5', { op: 'in', from: 3, to: 5 }],
    ['in -1k..0.5', { op: 'in', from: -1_000, to: 0.5 }],
    ['unknown', { op: 'unknown' }],
  ])('reads %j', (text, comparison) => {
    expect(parseComparison(text)).toEqual(comparison);
    expect(String(text)).toMatch(COMPARISON);
  });

  it.each(['', '=>5', '== 5', 'in 3', 'in 3..', '3..5', '5 tokens', 'about 5', '<', 'Unknown'])(
    'does not know %j',
    (text) => {
      expect(text).not.toMatch(COMPARISON);
    },
  );
});

describe('parseTextMatch', () => {
  it('takes a text as it stands', () => {
    expect(parseTextMatch('a/b', 'is')).toEqual({ op: 'is', text: 'a/b' });
    expect(parseTextMatch('/usr', 'contains')).toEqual({ op: 'contains', text: '/usr' });
  });

  it('takes what stands between slashes as a pattern', () => {
    expect(parseTextMatch('/too (long|large)/i', 'is')).toEqual({
      op: 'matches',
      pattern: /too (long|large)/i,
    });
    expect(parseTextMatch('/^a/b$/', 'is')).toEqual({ op: 'matches', pattern: /^a\/b$/ });
  });
});
