import { describe, expect, it } from 'vitest';
import { stepPriceAt, toPrices } from '../../../src/simulator/provider/prices.ts';

const base = { input: 1, output: 2 };
const dear = { input: 3, output: 4, cache_read: 0.3, cache_write: 3.75 };
const dearPrices = {
  inputPicoUsd: 3_000_000,
  outputPicoUsd: 4_000_000,
  cacheReadPicoUsd: 300_000,
  cacheWritePicoUsd: 3_750_000,
};

type Cost = Parameters<typeof toPrices>[0];

describe('toPrices', () => {
  it.each<[what: string, cost: Cost, tiers: readonly object[]]>([
    ['has no tiers where there are none', base, []],
    [
      'reads a tier, whatever it leaves out',
      { ...base, tiers: [{ tier: { size: 5 }, input: 7, output: 8 }] },
      [{ overTokens: 5, inputPicoUsd: 7_000_000, outputPicoUsd: 8_000_000 }],
    ],
    [
      'sorts tiers by size',
      {
        ...base,
        tiers: [
          { tier: { type: 'context', size: 9 }, ...dear },
          { tier: { size: 5 }, ...dear },
        ],
      },
      [
        { overTokens: 5, ...dearPrices },
        { overTokens: 9, ...dearPrices },
      ],
    ],
    [
      'passes over a tier of another kind',
      { ...base, tiers: [{ tier: { type: 'batch', size: 5 }, ...dear }] },
      [],
    ],
    [
      'takes the prices over 200k for a tier',
      { ...base, context_over_200k: dear },
      [{ overTokens: 200_000, ...dearPrices }],
    ],
    [
      'takes the listed tier of that size instead',
      { ...base, context_over_200k: base, tiers: [{ tier: { size: 200_000 }, ...dear }] },
      [{ overTokens: 200_000, ...dearPrices }],
    ],
    [
      'has both where they differ in size',
      { ...base, context_over_200k: dear, tiers: [{ tier: { size: 300_000 }, ...dear }] },
      [
        { overTokens: 200_000, ...dearPrices },
        { overTokens: 300_000, ...dearPrices },
      ],
    ],
  ])('%s', (_, cost, tiers) => {
    expect(toPrices(cost).tiers).toEqual(tiers);
  });
});

describe('stepPriceAt', () => {
  const withTier = toPrices({ ...base, tiers: [{ tier: { size: 5 }, ...dear }] });

  it.each<[...Parameters<typeof stepPriceAt>, readUsd: number | null, writeUsd: number | null]>([
    [500_000, undefined, null, null],
    [500_000, toPrices(base), null, 0.5],
    [500_000, withTier, 0.15, 1.875],
  ])('of %d tokens at %o reads at %o and writes at %o', (tokens, prices, readUsd, writeUsd) => {
    expect(stepPriceAt(tokens, prices)).toEqual({ readUsd, writeUsd });
  });
});
