import { describe, expect, it } from 'vitest';
import { outputReserve } from '../../src/engine/index.ts';

describe('outputReserve', () => {
  it.each<[string, number | undefined, number]>([
    ["is the model's own limit below the cap", 8_000, 8_000],
    ['is the cap where both are equal', 32_000, 32_000],
    ['is the cap where the model gives more', 128_000, 32_000],
    ['is the cap where the model declares 0', 0, 32_000],
    ['is the cap where the model declares nothing', undefined, 32_000],
  ])('%s', (_, outputTokens, expected) => {
    const limits = {
      contextTokens: 200_000,
      ...(outputTokens === undefined ? {} : { outputTokens }),
    };
    expect(outputReserve(limits, 32_000)).toBe(expected);
  });
});
