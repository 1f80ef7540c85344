import type { RunEvent } from '../../src/simulator/events.ts';
import {
  sawtoothOf,
  type Variant,
  WHAT_IF_VERSION,
  type WhatIfReport,
} from '../../src/simulator/report/whatif.ts';
import { pivot, refused, sent, started } from '../simulator/report/run-events.ts';
import { HOSTILE_NAME } from './sample-comparison.ts';
import { sampleMetrics } from './sample-report.ts';

const EVENTS = [started(50_000), sent(1, 20_000), sent(2, 45_000), pivot, sent(3, 10_000)];

/** A run under a window of 64,000 tokens, of three steps where no events are given. */
export function sampleVariant(
  overrides: Partial<Variant> = {},
  events: readonly RunEvent[] = EVENTS,
): Variant {
  return {
    model: 'lab/model',
    limits: { contextTokens: 64_000 },
    state: 'completed',
    metrics: sampleMetrics,
    sawtooth: sawtoothOf(events),
    ...overrides,
  };
}

/** A session that only one of two models accepts. */
export const sampleWhatIf: WhatIfReport = {
  whatIfVersion: WHAT_IF_VERSION,
  session: 'sessions/one.jsonl',
  policy: 'opencode-1.2.16',
  summarizer: 'extractive',
  seed: 1,
  mode: 'open-loop',
  origin: { settings: {} },
  variants: [
    sampleVariant(),
    sampleVariant(
      { model: HOSTILE_NAME, limits: { contextTokens: 0 }, state: 'refused', reason: HOSTILE_NAME },
      [started(), refused(1, 9_000)],
    ),
  ],
};
