import { describe, expect, it } from 'vitest';
import { type CacheName } from '../../../src/simulator/provider/behaviours.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import type { Prices } from '../../../src/simulator/provider/prices.ts';
import { billedPrices } from '../../../src/simulator/replay/service.ts';
import { LIMITS, modelOf, PRICES } from './lab.ts';

describe('billedPrices', () => {
  const unlisted: Prices = { inputPicoUsd: 1_000, outputPicoUsd: 2_000, tiers: [] };
  it.each<[string, Prices, CacheName, read: number, write: number]>([
    ['as listed where the provider caches at marks', PRICES, 'anthropic-5m', 3_000, 4_000],
    ['a multiple of input where the cache lives longer', PRICES, 'anthropic-1h', 3_000, 2_000],
    ['writes as input where they are not billed', PRICES, 'openai', 3_000, 1_000],
    ['all as input where nothing is cached', PRICES, 'none', 1_000, 1_000],
    ['as input where nothing is listed', unlisted, 'anthropic-5m', 1_000, 1_000],
  ])('are %s', (_, prices, cache, cacheReadPicoUsd, cacheWritePicoUsd) => {
    expect(billedPrices(modelOf({ cache }, { prices }))).toEqual({
      inputPicoUsd: 1_000,
      outputPicoUsd: 2_000,
      cacheReadPicoUsd,
      cacheWritePicoUsd,
    });
  });

  it('have a tier for each size from which on others hold', () => {
    const tiers = [{ inputPicoUsd: 1_000, outputPicoUsd: 2_000, overTokens: 200 }];
    expect(
      billedPrices(modelOf({ cache: 'anthropic-5m' }, { prices: { ...PRICES, tiers } })),
    ).toEqual({
      inputPicoUsd: 1_000,
      outputPicoUsd: 2_000,
      cacheReadPicoUsd: 3_000,
      cacheWritePicoUsd: 4_000,
      tiers: [
        {
          overTokens: 200,
          inputPicoUsd: 1_000,
          outputPicoUsd: 2_000,
          cacheReadPicoUsd: 1_000,
          cacheWritePicoUsd: 1_000,
        },
      ],
    });
  });

  it('are absent where none are known', () => {
    expect(billedPrices(createProfile('lab/model', LIMITS))).toBeUndefined();
  });
});
