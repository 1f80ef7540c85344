import type { Comparison } from '../../src/simulator/report/comparison.ts';

/** What a session may be called. */
export const HOSTILE_NAME = '@octocat [x](http://evil) `|<b>\u001b[31m\n::error::x';

/** Two policies of which the second is cheaper. */
export const sampleComparison: Comparison = {
  verdict: [
    {
      change: 'document-002',
      baseline: 'opencode-1.2.16',
      costUsd: { from: 24, to: 6, low: null, high: null },
      losses: { from: 9, to: 2 },
      state: 'better',
      sessions: 12,
      families: 12,
    },
  ],
  a: 'opencode-1.2.16',
  b: 'document-002',
  model: 'lab/model',
  summarizer: 'extractive',
  origins: { a: { policies: [], settings: {} }, b: { policies: [], settings: {} } },
  mode: 'open-loop',
  seed: 1,
  pairs: 12,
  sessions: 12,
  families: 12,
  cost: {
    pairs: 12,
    geometricRatio: { value: 0.5, interval: { low: 0.4, high: 0.6 } },
    verdict: 'lower',
    ratioOfTotals: { value: 0.25, interval: null },
  },
  metrics: [
    {
      name: 'costUsd',
      label: 'Cost',
      unit: 'usd',
      pairs: 12,
      meanA: 2,
      meanB: 1,
      difference: { value: -1, interval: { low: -1.5, high: -0.5 } },
      verdict: 'lower',
      pValue: 0.00002,
      effectSize: -1,
      outcomes: { wins: 10, losses: 1, ties: 1, probabilityOfSuperiority: 0.875 },
    },
    {
      name: 'compactions',
      label: 'Compactions',
      unit: 'count',
      pairs: 12,
      meanA: 3,
      meanB: 3,
      difference: { value: 0, interval: { low: 0, high: 0 } },
      verdict: 'equivalent',
      effectSize: null,
    },
    {
      name: 'ineffectiveCompactions',
      label: 'ineffective',
      unit: 'count',
      pairs: 12,
      meanA: 1,
      meanB: 1,
      difference: { value: 0, interval: { low: 0, high: 0 } },
      verdict: 'equivalent',
      effectSize: null,
    },
    {
      name: 'hitRateAfterUser',
      label: 'after user',
      unit: 'ratio',
      pairs: 12,
      meanA: 0.5,
      meanB: 0.4998,
      difference: { value: -0.0002, interval: { low: -0.0004, high: 0.0004 } },
      verdict: 'within noise',
      effectSize: null,
    },
  ],
  mostDifferent: [
    {
      session: HOSTILE_NAME,
      measure: { metric: 'costUsd', a: 2, b: 1 },
      because: { metric: 'peakContextTokens', a: 1_500, b: 900 },
      parting: { step: 7, a: 'overflow after-step', b: 'nothing' },
    },
  ],
  leftOut: [{ session: 'b.json', reason: 'only in A' }],
  failedRuns: 0,
  unread: [],
};
