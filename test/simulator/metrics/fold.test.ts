import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import { emptyTotals, type RunTotals } from '../../../src/simulator/metrics/totals.ts';
import {
  end,
  failedSummary,
  pivot,
  prune,
  start,
  step,
  summary,
  unpriced,
  unpricedStart,
} from './events.ts';

describe('foldRun', () => {
  it('is nothing of no events', () => {
    expect(foldRun([])).toEqual(emptyTotals());
  });

  it.each<[string, readonly RunEvent[], Partial<RunTotals>]>([
    ['recorded compactions', [unpricedStart], { recordedCompactions: 4 }],
    [
      'turns',
      [
        { type: 'turn-start', turn: 1 },
        { type: 'turn-start', turn: 2 },
      ],
      { turns: 2 },
    ],
    [
      'steps, with the largest context',
      [step(), step({ contextTokens: 300 }), step({ contextTokens: 200 })],
      {
        steps: 3,
        inputTokens: 600,
        outputTokens: 30,
        peakContextTokens: 300,
        contextTokens: [100, 300, 200],
        uncachedTokens: 300,
        afterTool: { inputTokens: 600, cacheReadTokens: 0 },
        latencyMs: 21,
      },
    ],
    [
      'kinds of input, and those after a prompt and after a tool apart',
      [
        step({ opensTurn: true, cacheReadTokens: 20, cacheWriteTokens: 30, freshTokens: 50 }),
        step({ cacheReadTokens: 90, freshTokens: 10 }),
        step({ opensTurn: true, cacheReadTokens: 5, freshTokens: 95 }),
      ],
      {
        steps: 3,
        inputTokens: 300,
        outputTokens: 30,
        peakContextTokens: 100,
        contextTokens: [100, 100, 100],
        cacheReadTokens: 115,
        cacheWriteTokens: 30,
        uncachedTokens: 155,
        afterUser: { inputTokens: 200, cacheReadTokens: 25 },
        afterTool: { inputTokens: 100, cacheReadTokens: 90 },
        latencyMs: 21,
      },
    ],
    [
      'breaks of the prefix, and steps on a cold cache',
      [step({ lostTokens: 1 }), step({ isCold: true }), step({ lostTokens: 9, isCold: true })],
      {
        steps: 3,
        inputTokens: 300,
        outputTokens: 30,
        peakContextTokens: 100,
        contextTokens: [100, 100, 100],
        uncachedTokens: 300,
        afterTool: { inputTokens: 300, cacheReadTokens: 0 },
        prefixBreaks: 2,
        coldSteps: 2,
        latencyMs: 21,
      },
    ],
    [
      'overflows by path, of which refusals are known by their requests',
      [
        { type: 'overflow', path: 'after-step', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'step-refused', step: 1, contextTokens: 2, windowTokens: 1, isRecognised: true },
        { type: 'overflow', path: 'refused' },
        { type: 'step-refused', step: 1, contextTokens: 2, windowTokens: 1, isRecognised: false },
      ],
      { overflowsAfterStep: 1, overflowsBeforeRequest: 3, refusals: 2 },
    ],
    [
      'prunes that fired, and those that found too little',
      [
        prune(),
        prune({ prunedTokens: 1, estimatedTokens: 2 }),
        prune({ state: 'below-minimum', prunedTokens: 0 }),
        prune({ state: 'nothing', prunedTokens: 0 }),
      ],
      { prunes: 2, prunesBelowMinimum: 1, prunedTokens: 20_001, prunedTokensEstimated: 21_002 },
    ],
    [
      'summaries, those that failed too, and those that were rejected',
      [summary(), failedSummary, summary(), { type: 'summary-rejected', reason: 'empty' }],
      {
        summaryInputTokens: 80_000,
        summaryOutputTokens: 10_000,
        failedCompactions: 2,
        latencyMs: 22,
      },
    ],
    [
      'pivots, and those that left 95 % or more',
      [
        pivot(),
        pivot({ contextAfterTokens: 94_999 }),
        pivot({ contextAfterTokens: 95_000 }),
        pivot({ contextAfterTokens: 120_000 }),
      ],
      { compactions: 4, ineffectiveCompactions: 2 },
    ],
    ['what a next request would hold', [end], { finalContextTokens: 77 }],
    [
      'nothing of what tells of no number',
      [
        { type: 'turn-end', turn: 1 },
        { type: 'request-failed', of: 'step', step: 1, failure: 'fail' },
      ],
      {},
    ],
    [
      'requests that were cut without a word',
      [
        { type: 'step-truncated', step: 1, contextTokens: 2, keptTokens: 1 },
        { ...failedSummary, state: 'answered', keptTokens: 1 },
      ],
      { truncations: 2 },
    ],
  ])('adds up %s', (_, events, totals) => {
    const { paybacks: _paybacks, ...folded } = foldRun(events);
    const { paybacks: _none, ...empty } = emptyTotals();
    expect(folded).toEqual({ ...empty, ...totals });
  });
});

describe('the costs of a run', () => {
  it('are those of its steps in order, and of its summaries', () => {
    const events = [start(), step(), summary(), failedSummary, step({ costNanoUsd: 3 }), summary()];
    expect(foldRun(events).costs).toEqual({ stepsNanoUsd: [100, 3], summariesNanoUsd: 100_000 });
  });

  it.each<[string, readonly RunEvent[]]>([
    ['the model has no known price', [unpricedStart, step()]],
    ['another model went on that has none', [start(), step(), unpriced(step()), step()]],
    ['the model of a summary has none', [start(), step(), unpriced(summary()), step()]],
  ])('are unknown where %s', (_, events) => {
    expect(foldRun(events)).not.toHaveProperty('costs');
  });
});
