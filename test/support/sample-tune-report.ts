import type { TuneReport } from '../../src/simulator/report/tune-report.ts';
import { findObjective } from '../../src/simulator/sweep/tune/constraint.ts';

/** What tuning one setting found where there is nothing to change. */
export function sampleTuneReport(overrides: Partial<TuneReport> = {}): TuneReport {
  return {
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
    resamples: 1_000,
    today: { settings: { reserved: 20 }, state: 'on the front', values: [1, 2], distance: 0 },
    front: [],
    unlisted: { members: 0, within: 0.01 },
    withoutKnee: 0,
    sensitivity: [],
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
