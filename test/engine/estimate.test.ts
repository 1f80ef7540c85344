import { describe, expect, it } from 'vitest';
import { type EstimatorOptions, estimateTokens } from '../../src/engine/index.ts';

const round: EstimatorOptions = { charsPerToken: 4, rounding: 'round' };
const ceil: EstimatorOptions = { charsPerToken: 4, rounding: 'ceil' };

describe('estimateTokens', () => {
  it.each<[string, [length: number, EstimatorOptions], number]>([
    ['gives nothing for no text', [0, round], 0],
    ['rounds a quarter down', [1, round], 0],
    ['rounds a half up', [2, round], 1],
    ['rounds three quarters up', [3, round], 1],
    ['rounds one and a half up, not to the even number below', [6, round], 2],
    ['rounds two and a half up, not to the even number', [10, round], 3],
    ['is exact on whole tokens', [4_000, round], 1_000],
    ['gives nothing for no text when it rounds up', [0, ceil], 0],
    ['rounds a quarter up where the policy says so', [1, ceil], 1],
    ['is exact on whole tokens when it rounds up', [8, ceil], 2],
    ['divides by the characters that the policy gives', [10, { ...round, charsPerToken: 2.5 }], 4],
  ])('%s', (_, [length, options], expected) => {
    expect(estimateTokens(length, options)).toBe(expected);
  });
});
