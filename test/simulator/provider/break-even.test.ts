import { describe, expect, it } from 'vitest';
import {
  bestThresholdTokens,
  type Compaction,
  compactionBreakEvenSteps,
  compactionCostPicoUsd,
  minimumWorthRemoving,
  pruneBreakEvenSteps,
} from '../../../src/simulator/provider/break-even.ts';

const warmAnthropic = { readMultiplier: 0.1, writeMultiplier: 1.25, coldShare: 0 };
const warmHalf = { readMultiplier: 0.5, writeMultiplier: 1, coldShare: 0 };
const warmDeepseek = { readMultiplier: 0.02, writeMultiplier: 1, coldShare: 0 };

describe('pruneBreakEvenSteps', () => {
  it.each<[what: string, removedTokens: number, coldShare: number, steps: number]>([
    ['20k of output behind 40k that are protected', 20_000, 0, 43],
    ['the same when 4.3 % of steps are cold', 20_000, 0.043, 29],
    ['60k', 60_000, 0, 14],
  ])('%s', (_, removedTokens, coldShare, steps) => {
    const prune = { ...warmAnthropic, survivingTokens: 75_000, removedTokens, coldShare };
    expect(Math.round(pruneBreakEvenSteps(prune))).toBe(steps);
  });

  it.each<[what: string, readMultiplier: number, writeMultiplier: number, steps: number]>([
    ['Anthropic', 0.1, 1.25, 11.5],
    ['reads at 10 %, free writes', 0.1, 1, 9],
    ['reads at 25 %', 0.25, 1, 3],
    ['reads at 50 %', 0.5, 1, 1],
    ['reads at 2 %', 0.02, 1, 49],
  ])('surviving over removed tokens, times: %s', (_, readMultiplier, writeMultiplier, steps) => {
    const cache = { readMultiplier, writeMultiplier, coldShare: 0 };
    const sizes = { survivingTokens: 1_000, removedTokens: 1_000 };
    expect(pruneBreakEvenSteps({ ...cache, ...sizes })).toBeCloseTo(steps, 9);
  });

  it('is at once where nothing survives behind the change', () => {
    const sizes = { survivingTokens: 0, removedTokens: 1_000 };
    expect(pruneBreakEvenSteps({ ...warmAnthropic, ...sizes })).toBe(0);
  });

  it('is never where nothing is removed', () => {
    const sizes = { survivingTokens: 1_000, removedTokens: 0 };
    expect(pruneBreakEvenSteps({ ...warmAnthropic, ...sizes })).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('minimumWorthRemoving', () => {
  it.each([1, 8.8, 43])('breaks even after just the horizon of %d steps', (horizonSteps) => {
    const prune = { ...warmAnthropic, coldShare: 0.043, survivingTokens: 75_000 };
    const removedTokens = minimumWorthRemoving({ ...prune, horizonSteps });
    expect(pruneBreakEvenSteps({ ...prune, removedTokens })).toBeCloseTo(horizonSteps, 9);
  });
});

const sonnet = { inputPicoUsd: 3_000_000, outputPicoUsd: 15_000_000 };
const haiku = { inputPicoUsd: 1_000_000, outputPicoUsd: 5_000_000 };

function compactionBy(summarizer: Compaction['summarizer']): Compaction {
  return {
    model: { ...sonnet, ...warmAnthropic },
    summarizer,
    summaryTokens: 2_000,
    beforeTokens: 180_000,
    afterTokens: 12_000,
  };
}

describe('a compaction from 180k to 12k tokens', () => {
  it.each<[what: string, summarizer: Compaction['summarizer'], usd: number, steps: number]>([
    ['the same model, cached', { ...sonnet, historyMultiplier: 0.1 }, 0.129, 2.6],
    ['a small model, uncached', { ...haiku, historyMultiplier: 1 }, 0.235, 4.7],
    ['the same model, uncached', { ...sonnet, historyMultiplier: 1 }, 0.615, 12.2],
  ])('by %s', (_, summarizer, usd, steps) => {
    const compaction = compactionBy(summarizer);
    expect(compactionCostPicoUsd(compaction) / 1e12).toBeCloseTo(usd, 9);
    expect(compactionBreakEvenSteps(compaction)).toBeCloseTo(steps, 1);
  });
});

describe('a compaction that the cache still holds a part of', () => {
  it('writes only the rest anew', () => {
    const compaction = compactionBy({ ...sonnet, historyMultiplier: 0.1 });
    const cached = compactionCostPicoUsd({ ...compaction, cachedTokens: 8_000 });
    const { inputPicoUsd, writeMultiplier } = compaction.model;
    const savedPicoUsd = inputPicoUsd * writeMultiplier * 8_000;
    expect(compactionCostPicoUsd(compaction) - cached).toBeCloseTo(savedPicoUsd, 6);
  });
});

describe('a compaction for a model that costs nothing', () => {
  const free = { inputPicoUsd: 0, outputPicoUsd: 0 };

  it('has earned its cost at once where the summary is free too', () => {
    const summarizer = { ...free, historyMultiplier: 1 };
    const compaction = { ...compactionBy(summarizer), model: { ...free, ...warmAnthropic } };
    expect(compactionBreakEvenSteps(compaction)).toBe(0);
  });

  it('never earns a summary that was paid for', () => {
    const summarizer = { ...haiku, historyMultiplier: 1 };
    const compaction = { ...compactionBy(summarizer), model: { ...free, ...warmAnthropic } };
    expect(compactionBreakEvenSteps(compaction)).toBe(Number.POSITIVE_INFINITY);
  });
});

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
