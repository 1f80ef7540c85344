import type { TuneReport } from '../../src/simulator/report/tune-report.ts';
import { findObjective } from '../../src/simulator/sweep/tune/tune-table.ts';

/** What tuning one setting found where there is nothing to change. */
export function sampleTuneReport(overrides: Partial<TuneReport> = {}): TuneReport {
  return {
    verdict: {
      state: 'no difference that matters',
      change: {},
      costUsd: { from: null, to: null, low: null, high: null },
      losses: { from: null, to: null },
      sessions: 9,
      families: 9,
      differing: 9,
      idleSessions: 0,
    },
    others: [],
    policy: 'opencode-1.2.16',
    model: 'lab/model',
    summarizer: 'extractive',
    seed: 1,
    mode: 'open-loop',
    origin: { settings: {} },
    objectives: [findObjective('cost'), findObjective('tokensSaved')],
    constraints: [],
    sessions: {
      tuning: 6,
      heldOut: 3,
      askedShare: 0.3,
      families: { tuning: 6, heldOut: 3 },
      names: { tuning: [], heldOut: [] },
      leftOut: [],
    },
    cells: { all: 3, distinct: 3, feasible: [], infeasible: [] },
    today: { settings: { reserved: 20 }, state: 'on the front', values: [1, 2], distance: 0 },
    front: [],
    unlisted: { members: 0, within: 0.01 },
    tried: [],
    trigger: {
      model: 'lab/model',
      contextTokens: 200_000,
      outputTokens: 32_000,
      usableTokens: 168_000,
    },
    advice: {
      state: 'keep',
      isHeldOut: true,
      compared: [],
      brokenByToday: [],
      settings: { reserved: 20 },
    },
    unread: [],
    ...overrides,
  };
}
