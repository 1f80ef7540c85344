import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import {
  type Compaction,
  compactionBreakEvenSteps,
  foldRun,
  pruneBreakEvenSteps,
} from '../../../src/simulator/metrics/fold.ts';
import type { Payback } from '../../../src/simulator/metrics/totals.ts';
import {
  changedTo,
  failedSummary,
  pivot,
  PRICES,
  prune,
  start,
  step,
  steps,
  summary,
  unpriced,
  unpricedStart,
} from './events.ts';

const paybacksOf = (...events: readonly RunEvent[]) => foldRun([start(), ...events]).paybacks;
const free = { inputPicoUsd: 0, outputPicoUsd: 0, cacheReadPicoUsd: 0, cacheWritePicoUsd: 0 };
/** (1.25 - 0.1) × 10,000 / (0.1 × 20,000) steps. */
const PRUNE_STEPS = 5.8;
/** (50,000 × 1,000 + 1.25 × 1,000 × 10,000) / (0.1 × 1,000 × 90,000) steps. */
const PIVOT_STEPS = 6.9;

describe('the payback of a prune', () => {
  it.each<[string, after: number, isWasted: boolean]>([
    ['wasted when a step is missing', 5, true],
    ['earned when there are enough', 6, false],
  ])('is %s', (_, after, isWasted) => {
    expect(paybacksOf(...steps(3), prune(), ...steps(after))).toEqual([
      { kind: 'prune', step: 3, breakEvenSteps: PRUNE_STEPS, realisedSteps: after, isWasted },
    ]);
  });

  it('is none for a pass that did not fire', () => {
    expect(paybacksOf(prune({ state: 'below-minimum' }), prune({ state: 'nothing' }))).toEqual([]);
  });

  it('costs nothing where the cache has run out by the next step', () => {
    expect(paybacksOf(...steps(3), prune(), step({ isCold: true }), ...steps(1))).toMatchObject([
      { breakEvenSteps: 0, realisedSteps: 2, isWasted: false },
    ]);
  });

  it('is dearer to wait for where steps are cold later on', () => {
    // (1.25 - 0.1) × 3,875 / ((0.75 × 0.1 + 0.25 × 1.25) × 1,150)
    const sizes = { survivingTokens: 3_875, prunedTokens: 1_150 };
    expect(paybacksOf(step(), prune(sizes), step(), step({ isCold: true }), step())).toMatchObject([
      { breakEvenSteps: 10, realisedSteps: 3, isWasted: true },
    ]);
  });

  it.each<[string, prunedTokens: number, survivingTokens: number, isCold: boolean]>([
    ['took nothing out', 0, 10_000, false],
    ['took nothing out of the end', 0, 0, false],
    ['took nothing out before the cache ran out', 0, 10_000, true],
    ['put in more than it took out', -400, 10_000, false],
    ['put in more at the end', -400, 0, false],
    ['put in more before the cache ran out', -400, 10_000, true],
  ])('never comes for one that %s', (_, prunedTokens, survivingTokens, isCold) => {
    const after = [step({ isCold }), ...steps(99)];
    expect(paybacksOf(prune({ prunedTokens, survivingTokens }), ...after)).toMatchObject([
      { breakEvenSteps: null, isWasted: true },
    ]);
  });

  it.each([
    ['nothing is cached', { ...PRICES, cacheReadPicoUsd: 1_000, cacheWritePicoUsd: 1_000 }],
    ['everything is free', free],
  ])('comes at once where %s', (_, prices) => {
    expect(foldRun([start(prices), step(), prune(), step()]).paybacks).toMatchObject([
      { breakEvenSteps: 0, isWasted: false },
    ]);
  });

  it('stands behind the step that was sent before it, which what is read again for it does not move', () => {
    const reread = { step: 2, reread: 7 };
    const events = [step(), step(reread), step(reread), step({ step: 2 }), prune(), ...steps(1)];
    expect(paybacksOf(...events)).toMatchObject([{ step: 2, realisedSteps: 1 }]);
  });

  it('ends at the next pivot, which rewrites everything', () => {
    expect(paybacksOf(prune(), ...steps(5), summary(), pivot(), ...steps(9))).toMatchObject([
      { kind: 'prune', realisedSteps: 5, isWasted: true },
      { kind: 'pivot', realisedSteps: 9, isWasted: false },
    ]);
  });

  it('does not end at the next prune', () => {
    expect(paybacksOf(prune(), ...steps(5), prune(), ...steps(1))).toMatchObject([
      { realisedSteps: 6, isWasted: false },
      { realisedSteps: 1, isWasted: true },
    ]);
  });
});

describe('the payback of a pivot', () => {
  it.each<[string, after: number, isWasted: boolean]>([
    ['wasted when a step is missing', 6, true],
    ['earned when there are enough', 7, false],
  ])('is %s', (_, after, isWasted) => {
    expect(paybacksOf(...steps(2), summary(), pivot(), ...steps(after))).toEqual([
      { kind: 'pivot', step: 2, breakEvenSteps: PIVOT_STEPS, realisedSteps: after, isWasted },
    ]);
  });

  it.each<[string, next: Parameters<typeof step>[0], breakEvenSteps: number]>([
    // (50,000 × 1,000 + 1.25 × 1,000 × 4,000) / (0.1 × 1,000 × 90,000)
    ['that the next step reads from the cache', { cacheReadTokens: 6_000 }, 6.1],
    // 50,000 × 1,000 / (0.1 × 1,000 × 90,000), of which a read adds nothing
    [
      'where the next step reads all of it, and a little of what came since',
      { cacheReadTokens: 11_000 },
      5.6,
    ],
    // (50,000 × 1,000) / ((0.9 × 0.1 + 0.1 × 1.25) × 1,000 × 90,000)
    ['where the cache had run out by then anyway', { isCold: true }, 2.6],
  ])('does not have to earn what is written %s', (_, next, breakEvenSteps) => {
    const events = [summary(), pivot(), step(next), ...steps(9)];
    expect(paybacksOf(...events)).toMatchObject([{ breakEvenSteps, isWasted: false }]);
  });

  it('has to earn all summary calls since the one before it', () => {
    // 100,000 × 1,000 instead of 50,000 × 1,000: 12.5 steps; the failed one was free.
    const tries = [summary(), failedSummary, summary(), pivot()];
    expect(paybacksOf(...tries, ...steps(1), summary(), pivot())).toMatchObject([
      { breakEvenSteps: 12.5 },
      { breakEvenSteps: PIVOT_STEPS },
    ]);
  });

  it('comes at once where everything is free', () => {
    const wrote = summary({ costNanoUsd: 0 });
    expect(foldRun([start(free), wrote, pivot()]).paybacks).toMatchObject([
      { breakEvenSteps: 0, isWasted: false },
    ]);
  });

  it('comes sooner where the context before had the prices of a larger size', () => {
    // (50,000 × 1,000 + 1.25 × 1,000 × 10,000) / (0.1 × 2,000 × 100,000 - 0.1 × 1,000 × 10,000)
    const larger = { ...PRICES, inputPicoUsd: 2_000, cacheReadPicoUsd: 200, overTokens: 99_999 };
    const events = [start({ ...PRICES, tiers: [larger] }), summary(), pivot()];
    expect(foldRun(events).paybacks).toMatchObject([{ breakEvenSteps: 3.3 }]);
  });

  it('has the prices of the model that was asked then', () => {
    const switched = [start(free), changedTo(PRICES), summary(), pivot(), changedTo(free)];
    expect(foldRun(switched).paybacks).toMatchObject([{ breakEvenSteps: PIVOT_STEPS }]);
  });

  it('never comes where only the summary was billed', () => {
    expect(foldRun([start(free), summary(), pivot(), ...steps(99)]).paybacks).toMatchObject([
      { breakEvenSteps: null, isWasted: true },
    ]);
  });

  it.each<[string, contextAfterTokens: number, breakEvenSteps: number | null]>([
    ['left 95 %, however long the run', 95_000, 337.5],
    ['left as much as there was', 100_000, null],
    ['left more', 120_000, null],
  ])('is wasted where it %s', (_, contextAfterTokens, breakEvenSteps) => {
    const events = [summary(), pivot({ contextAfterTokens }), ...steps(999)];
    expect(paybacksOf(...events)).toMatchObject([{ breakEvenSteps, isWasted: true }]);
  });
});

describe('a payback without a known price', () => {
  it.each<[string, readonly RunEvent[]]>([
    ['of the model', [unpricedStart, summary(), pivot()]],
    ['of a model that went on', [start(), summary(), pivot(), unpriced(step())]],
    ['of the model that wrote the summary', [start(), unpriced(summary()), pivot()]],
  ])('is unknown: %s', (_, events) => {
    const [payback] = foldRun(events).paybacks as readonly [Payback];
    expect(payback).not.toHaveProperty('breakEvenSteps');
    expect(payback).not.toHaveProperty('isWasted');
  });

  it.each([
    ['prune', prune({ prunedTokens: -1 })],
    ['pivot', pivot({ contextAfterTokens: 95_000 })],
  ])('is wasted all the same where the %s had no effect', (kind, event) => {
    const { paybacks } = foldRun([unpricedStart, event]);
    expect(paybacks).toEqual([{ kind, step: 0, realisedSteps: 0, isWasted: true }]);
  });
});

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
