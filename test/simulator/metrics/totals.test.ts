import { describe, expect, it } from 'vitest';
import {
  type Compaction,
  compactionBreakEvenSteps,
  pruneBreakEvenSteps,
} from '../../../src/simulator/metrics/fold.ts';

const warmAnthropic = { readMultiplier: 0.1, writeMultiplier: 1.25, coldShare: 0 };

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

  it('is at once where nothing survives behind the change, and never where nothing is removed', () => {
    const stepsFor = (survivingTokens: number, removedTokens: number) =>
      pruneBreakEvenSteps({ ...warmAnthropic, survivingTokens, removedTokens });
    expect(stepsFor(0, 1_000)).toBe(0);
    expect(stepsFor(1_000, 0)).toBe(Infinity);
  });
});

const sonnet = { inputPicoUsd: 3_000_000, outputPicoUsd: 15_000_000 };
const haiku = { inputPicoUsd: 1_000_000, outputPicoUsd: 5_000_000 };
/** What sonnet reads less of its cache in each step, with 168k tokens fewer. */
const SAVED_USD_PER_STEP = 0.0504;

type Summarizer = typeof sonnet & { readonly historyMultiplier: number };

function compactionBy(summarizer: Summarizer): Compaction {
  const { inputPicoUsd, outputPicoUsd, historyMultiplier } = summarizer;
  return {
    model: { ...sonnet, ...warmAnthropic },
    summaryPicoUsd: inputPicoUsd * historyMultiplier * 180_000 + outputPicoUsd * 2_000,
    beforeTokens: 180_000,
    afterTokens: 12_000,
  };
}

describe('a compaction from 180k to 12k tokens', () => {
  it.each<[what: string, summarizer: Summarizer, usd: number, steps: number]>([
    ['the same model, cached', { ...sonnet, historyMultiplier: 0.1 }, 0.129, 2.6],
    ['a small model, uncached', { ...haiku, historyMultiplier: 1 }, 0.235, 4.7],
    ['the same model, uncached', { ...sonnet, historyMultiplier: 1 }, 0.615, 12.2],
  ])('by %s', (_, summarizer, usd, steps) => {
    const breakEvenSteps = compactionBreakEvenSteps(compactionBy(summarizer));
    expect(breakEvenSteps).toBeCloseTo(steps, 1);
    expect(breakEvenSteps * SAVED_USD_PER_STEP).toBeCloseTo(usd, 9);
  });
});

describe('a compaction that the cache still holds a part of', () => {
  it('writes only the rest anew', () => {
    const compaction = compactionBy({ ...sonnet, historyMultiplier: 0.1 });
    const cachedSteps = compactionBreakEvenSteps({ ...compaction, cachedTokens: 8_000 });
    const savedUsd = (compactionBreakEvenSteps(compaction) - cachedSteps) * SAVED_USD_PER_STEP;
    const { inputPicoUsd, writeMultiplier } = compaction.model;
    expect(savedUsd).toBeCloseTo((inputPicoUsd * writeMultiplier * 8_000) / 1e12, 9);
  });
});

describe('a compaction for a model that costs nothing', () => {
  const free = { inputPicoUsd: 0, outputPicoUsd: 0 };

  it.each([
    ['has earned its cost at once where the summary is free too', free, 0],
    ['never earns a summary that was paid for', haiku, Infinity],
  ])('%s', (_, prices, steps) => {
    const compaction = compactionBy({ ...prices, historyMultiplier: 1 });
    const model = { ...free, ...warmAnthropic };
    expect(compactionBreakEvenSteps({ ...compaction, model })).toBe(steps);
  });
});
