import { readSaved, type SavedWhatIf } from '../../src/simulator/report/saved/documents.ts';
import { plotSawtooth } from '../../src/simulator/report/sawtooth.ts';
import type {
  VariantResult,
  WhatIfReport,
  WhatIfView,
} from '../../src/simulator/report/whatif-report.ts';
import { renderWhatIfJson } from '../../src/simulator/report/whatif.ts';
import { pivot, refused, sent, started } from '../simulator/report/run-events.ts';
import { HOSTILE_NAME } from './sample-comparison.ts';
import { sampleMetrics } from './sample-report.ts';

/** A run of three steps under a window of 64,000 tokens. */
export function sampleVariant(overrides: Partial<VariantResult> = {}): VariantResult {
  const { events = [started(50_000), sent(1, 20_000), sent(2, 45_000), pivot, sent(3, 10_000)] } =
    overrides;
  return {
    model: 'lab/model',
    limits: { contextTokens: 64_000 },
    record: { seed: 1, state: 'completed', metrics: sampleMetrics },
    plot: plotSawtooth(events),
    events,
    ...overrides,
  };
}

const refusedEvents = [started(), refused(1, 9_000)];

/** A session that only one of two models accepts. */
export const sampleWhatIf: WhatIfReport = {
  session: 'sessions/one.jsonl',
  policy: 'opencode-1.2.16',
  summarizer: 'extractive',
  seed: 1,
  mode: 'open-loop',
  origin: { settings: {} },
  variants: [
    sampleVariant({
      curve: { references: 4, lostToPivots: 1, distances: [3_000, 30_000], minimumTokens: 5_000 },
    }),
    sampleVariant({
      model: HOSTILE_NAME,
      limits: { contextTokens: 0 },
      record: { seed: 1, state: 'refused', reason: HOSTILE_NAME, metrics: sampleMetrics },
      plot: plotSawtooth(refusedEvents),
      events: refusedEvents,
    }),
  ],
};

/** What is read of a report where it was saved. */
export function savedAgain(report: WhatIfReport, view: WhatIfView): SavedWhatIf {
  const saved = readSaved('w.json', renderWhatIfJson(report, view));
  if (saved.kind !== 'whatif') throw new Error(`Expected a what-if, got ${saved.kind}.`);
  return saved;
}
