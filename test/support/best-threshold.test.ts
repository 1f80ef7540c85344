import { describe, expect, it } from 'vitest';
import { bestThresholdTokens } from './best-threshold.ts';

const warmAnthropic = { readMultiplier: 0.1, writeMultiplier: 1.25, coldShare: 0 };
const warmHalf = { readMultiplier: 0.5, writeMultiplier: 1, coldShare: 0 };
const warmDeepseek = { readMultiplier: 0.02, writeMultiplier: 1, coldShare: 0 };
const sonnet = { inputPicoUsd: 3_000_000, outputPicoUsd: 15_000_000 };

/** The notes print ranges: a summarizer that reads the history from the cache, then one that does not. */
describe('bestThresholdTokens', () => {
  const growth = {
    growthTokens: 1_750,
    afterTokens: 20_000,
    summaryTokens: 2_000,
    penaltyPicoUsd: 0,
  };
  const gpt4o = { inputPicoUsd: 2_500_000, outputPicoUsd: 10_000_000 };
  const deepseek = { inputPicoUsd: 1_000_000, outputPicoUsd: 2_000_000 };
  const models = {
    sonnet: { ...sonnet, ...warmAnthropic },
    'a model that reads at half price': { ...gpt4o, ...warmHalf },
    'a model like DeepSeek': { ...deepseek, ...warmDeepseek },
  };

  it.each<
    [model: keyof typeof models, historyMultiplier: number, reread: number, thousands: number]
  >([
    ['sonnet', 0.1, 0, 56],
    ['sonnet', 1, 0, 64],
    ['sonnet', 0.1, 30_000, 71],
    ['sonnet', 1, 30_000, 77],
    ['a model that reads at half price', 0.5, 0, 36],
    ['a model that reads at half price', 1, 30_000, 43],
    ['a model like DeepSeek', 0.02, 0, 85],
    ['a model like DeepSeek', 1, 30_000, 134],
  ])(
    'of %s, history at %d, %d read again: %dk',
    (name, historyMultiplier, rereadTokens, thousands) => {
      const model = models[name];
      const summarizer = { ...model, historyMultiplier };
      const best = bestThresholdTokens({ ...growth, model, summarizer, rereadTokens });
      expect(Math.round(best / 1_000)).toBe(thousands);
    },
  );

  it('grows with the root of the penalty', () => {
    const model = { ...sonnet, ...warmAnthropic };
    const free = { outputPicoUsd: 0, inputPicoUsd: 0, historyMultiplier: 0 };
    const bare = { ...growth, model, summarizer: free, afterTokens: 0, rereadTokens: 0 };
    const once = bestThresholdTokens({ ...bare, penaltyPicoUsd: 1e12 });
    expect(once).toBeCloseTo(108_012, 0);
    expect(bestThresholdTokens({ ...bare, penaltyPicoUsd: 4e12 })).toBeCloseTo(2 * once, 6);
  });
});
