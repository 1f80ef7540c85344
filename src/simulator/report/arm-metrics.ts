/** Rows of a comparison of summarizers, and the numbers about one arm. */

import * as z from 'zod';
import { sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { Metric } from '../metrics/metric.ts';
import { shareRight } from '../metrics/probes/ask-probes.ts';
import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { ANSWER_STATES } from '../metrics/probes/score-answer.ts';
import { FACT_STATES, type FactState } from '../metrics/quality/fact-states.ts';
import { AMOUNT, type Interval, SHARE } from '../metrics/statistics/interval.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { type Checked, SettingsShape, number, strings, string } from './saved/shapes.ts';

/** Changes whenever rows of before mean something else. */
export const SUMMARY_ROW_VERSION = 3;

/** `none` without any. */
export const FACT_SOURCES = ['planted', 'stated', 'none'] as const;

const StateCountsShape = z.partialRecord(z.enum(FACT_STATES), number);

const PivotShape = z.strictObject({
  /** Empty where nobody says what is to be kept. */
  kinds: z.partialRecord(z.enum(FACT_KINDS), StateCountsShape),
  mustFacts: number,
  mustDropped: number,
  /** Strings of the head that later steps use. */
  strings: number,
  stringsKept: number,
  /** Of random lines of the head, as long as the summary. */
  stringsInRandomLines: number,
  headTokens: number,
  summaryTokens: number,
  viewTokens: number,
  /** With those that a policy sent again. */
  calls: number,
  /** Absent where a call has no price. */
  costNanoUsd: number.optional(),
  latencyMs: number.optional(),
  isCut: z.boolean(),
});

const ConditionsShape = z.strictObject({
  policy: string,
  /** Absent where the places are given, so that it decides nothing. */
  model: string.optional(),
  pivots: string,
  places: string,
  tokenizer: string,
  seed: string,
});

const MissingShape = z.strictObject({
  pivot: z.int().positive(),
  /** `failed` by the summarizer or a guard, `broken` as it could not be asked, `unreached` as the session ended before. */
  state: z.enum(['failed', 'broken', 'unreached']),
  reason: string,
  /** Nobody answered, which may differ another time; no such row is kept. */
  isUnanswered: z.literal(true).optional(),
});

/** One summarizer with one prompt on one session: never texts. */
export const SummaryRowShape = z.strictObject({
  rowVersion: z.literal(SUMMARY_ROW_VERSION),
  scorerVersion: z.int(),
  bench: string,
  conditions: ConditionsShape.optional(),
  scenario: string,
  scenarioHash: string,
  /** Absent where it stands alone. */
  family: string.optional(),
  facts: z.enum(FACT_SOURCES),
  summarizer: string,
  /** Besides its name; absent where there are none. */
  settings: SettingsShape.optional(),
  /** As its provider names it. */
  model: string,
  prompt: string,
  promptHash: string,
  repeat: z.int().positive(),
  /** Repetitions may differ; otherwise they are no further evidence. */
  isRandom: z.boolean(),
  pivots: z.array(PivotShape),
  /** By number of pivots gone through. */
  survival: z.array(z.strictObject({ atRisk: number, lost: number })),
  reader: string.optional(),
  /** Of all that the reader is told beside the session. */
  questions: string.optional(),
  probes: z
    .array(
      z.strictObject({
        id: string,
        kind: z.enum(PROBE_KINDS),
        answers: z.record(z.enum(CONDITIONS), z.enum(ANSWER_STATES)),
      }),
    )
    .optional(),
  /** They are in no score. */
  unanswered: strings.optional(),
  /** As its provider names it. */
  readerModel: string.optional(),
  /** Why there are fewer pivots than were wanted. */
  missing: MissingShape.optional(),
});

export type SummaryRow = Checked<typeof SummaryRowShape>;
export type PivotScore = Checked<typeof PivotShape>;
export type BenchConditions = Checked<typeof ConditionsShape>;
export type MissingPivot = Checked<typeof MissingShape>;

interface ArmMetric {
  readonly label: string;
  readonly unit: Metric['unit'] | 'per-kilotoken';
  /** Words for less and more; absent where nothing judges it. */
  readonly differs?: readonly [lower: string, higher: string];
  readonly range: Interval;
  /** `null` where unknown. */
  readonly of: (row: SummaryRow) => number | null;
}

export type ArmMetricName = keyof typeof metrics;

const KEPT = ['less kept', 'more kept'] as const;

const metrics = {
  answered: {
    label: 'Questions answered',
    unit: 'ratio',
    differs: ['worse', 'better'],
    range: SHARE,
    of: ({ probes = [] }) => shareRight(probes, 'compacted'),
  },
  factsKept: { ...ofFacts('Facts kept', 0, 'kept'), differs: KEPT },
  factsKeptSecond: { ...ofFacts('Facts kept, 2nd compaction', 1, 'kept'), differs: KEPT },
  contradicted: ofFacts('Contradicted', 0, 'contradicted'),
  stale: ofFacts('Stale', 0, 'stale'),
  stringsKept: ofStrings('Strings kept', (first) => first.stringsKept / first.strings),
  stringsInRandomLines: ofStrings(
    'Strings in random lines of the same size',
    (first) => first.stringsInRandomLines / first.strings,
  ),
  stringsPerKilotoken: {
    ...ofStrings('Strings kept per 1,000 tokens', ({ stringsKept, summaryTokens }) =>
      summaryTokens === 0 ? null : (1_000 * stringsKept) / summaryTokens,
    ),
    unit: 'per-kilotoken',
    range: AMOUNT,
  },
  summaryTokens: {
    ...ofAmount('Summary tokens', ({ summaryTokens }) => summaryTokens),
    unit: 'tokens',
    differs: ['shorter', 'longer'],
  },
  costUsd: {
    ...ofAmount('Cost of a compaction', ({ costNanoUsd }) => costNanoUsd, NANO_USD_PER_USD),
    unit: 'usd',
    differs: ['cheaper', 'dearer'],
  },
  latencyMs: {
    ...ofAmount('Latency of a compaction', ({ latencyMs }) => latencyMs),
    unit: 'ms',
    differs: ['faster', 'slower'],
  },
} satisfies Record<string, ArmMetric>;

/** The most telling first; by default of the first summary. */
export const armMetrics: Readonly<Record<ArmMetricName, ArmMetric>> = metrics;

/** The rest is descriptive. */
export const COMPARED: readonly ArmMetricName[] = [
  'answered',
  'factsKept',
  'factsKeptSecond',
  'stringsKept',
  'summaryTokens',
  'costUsd',
];

/** `null` without facts. */
export function shareIn(counts: readonly Checked<typeof StateCountsShape>[], state: FactState) {
  const all = sum(counts.flatMap((own) => Object.values(own)));
  return all === 0 ? null : sum(counts.map((own) => own[state] ?? 0)) / all;
}

function ofFacts(label: string, index: number, state: FactState): ArmMetric {
  return {
    label,
    unit: 'ratio',
    range: SHARE,
    of: ({ pivots }) => shareIn(Object.values(pivots[index]?.kinds ?? {}), state),
  };
}

function ofStrings(label: string, of: (pivot: PivotScore) => number | null): ArmMetric {
  return {
    label,
    unit: 'ratio',
    range: SHARE,
    of: ({ pivots: [first] }) => (first === undefined || first.strings === 0 ? null : of(first)),
  };
}

/** The mean over pivots; unknown where any of them is, or there is none. */
function ofAmount(label: string, of: (pivot: PivotScore) => number | undefined, parts = 1) {
  const mean = ({ pivots }: SummaryRow) => {
    const known = pivots.flatMap((pivot) => of(pivot) ?? []);
    if (known.length === 0 || known.length < pivots.length) return null;
    return sum(known) / known.length / parts;
  };
  return { label, range: AMOUNT, of: mean };
}
