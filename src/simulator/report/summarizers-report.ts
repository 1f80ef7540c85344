import * as z from 'zod';
import { sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { Metric } from '../metrics/metric-rows.ts';
import { ANSWER_STATES, CONDITIONS, PROBE_KINDS, shareRight } from '../metrics/probes/probe.ts';
import { FACT_STATES, type FactState } from '../metrics/quality/fact-states.ts';
import { AMOUNT, type Interval, SHARE } from '../metrics/statistics/interval.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { countOf, formatCount } from './numbers.ts';
import {
  amount,
  type Checked,
  number,
  OriginShape,
  SettingsShape,
  string,
  strings,
  UnreadShape,
  VerdictShape,
} from './saved/shapes.ts';

/** Changes whenever rows of before mean something else. */
export const SUMMARY_ROW_VERSION = 4;

/** `none` without any. */
const FACT_SOURCES = ['planted', 'stated', 'none'] as const;

const StateCountsShape = z.partialRecord(z.enum(FACT_STATES), number);

const PivotShape = z.strictObject({
  /** Empty where nobody says what is to be kept. */
  kinds: z.partialRecord(z.enum(FACT_KINDS), StateCountsShape),
  mustFacts: number,
  mustDropped: number,
  /** Facts without a label of the judge; absent without one. */
  unjudged: number.optional(),
  /** Strings of the head that later steps use. */
  strings: number,
  stringsKept: number,
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
  /** Of the facts that the first pivot was to keep, by number of pivots. */
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
  /** Whose labels stand in place of those of rules. */
  judge: string.optional(),
  /** Of what the judge is told beside the texts. */
  judgeText: string.optional(),
  judgeModel: string.optional(),
  /** Why it gave no labels, which may differ another time; no such row is kept. */
  judgeFault: string.optional(),
  /** Why there are fewer pivots than were wanted. */
  missing: MissingShape.optional(),
});

export type SummaryRow = Checked<typeof SummaryRowShape>;
export type PivotScore = Checked<typeof PivotShape>;
export type BenchConditions = Checked<typeof ConditionsShape>;
export type MissingPivot = Checked<typeof MissingShape>;

interface ArmMetric {
  readonly label: string;
  readonly unit: Metric['unit'];
  /** Words for less and more; absent where nothing judges it. */
  readonly differs?: Differs | undefined;
  readonly range: Interval;
  readonly of: Measure;
}

type Differs = readonly [lower: string, higher: string];
/** `null` where unknown. */
type Measure = (row: SummaryRow) => number | null;

export type ArmMetricName = keyof typeof metrics;

const ANSWERS = ['worse', 'better'] as const;
const KEPT = ['less kept', 'more kept'] as const;
const SIZES = ['shorter', 'longer'] as const;
const PRICES = ['cheaper', 'dearer'] as const;
const WAITS = ['faster', 'slower'] as const;
const KILOTOKEN = 1_000;

const metrics = {
  answered: share(
    'Questions answered',
    (row) => shareRight(row.probes ?? [], 'compacted'),
    ANSWERS,
  ),
  factsKept: share('Facts kept', ofFacts('kept'), KEPT),
  factsKeptSecond: share('Facts kept, 2nd compaction', (row) => keptAfter(row, 2), KEPT),
  toldWrong: share('Told wrong', ofFacts('contradicted', 'wrong-value', 'stale')),
  contradicted: share('Contradicted', ofFacts('contradicted')),
  stale: share('Stale', ofFacts('stale')),
  valueAlone: share('Value alone', ofFacts('unbound')),
  stringsKept: share('Strings kept', ({ pivots: [first] }) =>
    first?.strings ? first.stringsKept / first.strings : null,
  ),
  stringsPerKilotoken: mean(
    ['Strings kept per 1,000 tokens', 'count'],
    ({ stringsKept, summaryTokens: tokens }) => tokens && (KILOTOKEN * stringsKept) / tokens,
  ),
  summaryTokens: mean(['Summary tokens', 'tokens'], (own) => own.summaryTokens, SIZES),
  costUsd: mean(
    ['Cost of a compaction', 'usd'],
    (own) => own.costNanoUsd && own.costNanoUsd / NANO_USD_PER_USD,
    PRICES,
  ),
  latencyMs: mean(['Latency of a compaction', 'ms'], (own) => own.latencyMs, WAITS),
} satisfies Record<string, ArmMetric>;

/** The most telling first; by default of the first summary. */
export const armMetrics: Readonly<Record<ArmMetricName, ArmMetric>> = metrics;

export const SUMMARIZERS_VERSION = 4;

const ARM_METRICS = Object.keys(armMetrics) as readonly ArmMetricName[];

const Mean = z.object({
  mean: amount,
  low: amount,
  high: amount,
  sessions: number,
  /** Absent where all sessions are independent. */
  families: number.exactOptional(),
});

const Provenance = z.object({
  origin: OriginShape,
  scorerVersion: number,
  bench: string,
  policy: string,
  /** Whose tokenizer counts, and whose limits hold where the policy decides. */
  model: string,
  pivots: number,
  compactAt: z.union([z.array(number), z.literal('policy')]),
  seed: number,
  /** Of each session under each arm; the least where some were run less often. */
  repeats: number,
  leastRepeats: number.exactOptional(),
  scenarios: z.array(
    z.object({
      name: string,
      hash: string,
      facts: z.enum(FACT_SOURCES),
      /** The first by name of its family; absent where it stands alone. */
      family: string.optional(),
    }),
  ),
});

const Arm = z.object({
  name: string,
  summarizer: string,
  /** Absent where there are none. */
  settings: SettingsShape.optional(),
  model: string,
  prompt: string,
  promptHash: string,
  metrics: z.record(z.enum(ARM_METRICS), Mean),
  kinds: z.partialRecord(z.enum(FACT_KINDS), Mean),
  mustFacts: z.object({
    of: number,
    dropped: number,
    /** That this leaves possible at 95 %; `null` where there was none to be kept. */
    highestRate: amount,
  }),
  /** Of the facts that the first compaction was to keep, by number of compactions. */
  keptAfter: z.array(Mean),
  failures: z.object({
    trials: number,
    pivots: number,
    failed: number,
    unreached: number,
    cut: number,
    nonCompressing: number,
    empty: number,
    reasons: z.array(
      z.object({ reason: string, state: z.enum(['failed', 'broken', 'unreached']), times: number }),
    ),
  }),
});

const Difference = z.object({
  arm: string,
  base: string,
  metric: z.enum(ARM_METRICS),
  sessions: number,
  difference: Mean,
  /** Of costs the geometric mean of ratios, by which they are judged. */
  ratio: Mean.exactOptional(),
  /** `unjudged` where the number says nothing of quality. */
  verdict: z.enum([...VerdictShape.options, 'unjudged']),
});

const Probes = z.object({
  arm: string,
  questions: number,
  unanswered: z.array(z.object({ reason: string, times: number })),
  accuracy: z.record(z.enum(CONDITIONS), Mean),
  /** (COMPACTED − NONE) / (FULL − NONE); unknown where sessions tell too little. */
  left: Mean,
  kinds: z.partialRecord(z.enum(PROBE_KINDS), z.object({ full: Mean, compacted: Mean })),
});

const Judge = z.object({
  name: string,
  model: string.exactOptional(),
  facts: number,
  /** Of these rules decide. */
  unanswered: number,
  /** Of the first request that failed. */
  fault: string.exactOptional(),
});

export const SummarizersSchema = z.object({
  summarizersVersion: z.int(),
  provenance: Provenance,
  arms: z.array(Arm),
  differences: z.array(Difference),
  probes: z
    .object({
      reader: string,
      model: string.exactOptional(),
      ownFamily: strings,
      arms: z.array(Probes),
    })
    .optional(),
  judge: Judge.optional(),
  unread: UnreadShape,
});

export type SummarizersReport = Checked<typeof SummarizersSchema>;
export type SummarizersProvenance = SummarizersReport['provenance'];
export type MeanEstimate = Checked<typeof Mean>;
export type ArmReport = Checked<typeof Arm>;
export type ArmDifference = Checked<typeof Difference>;
export type ArmProbes = Checked<typeof Probes>;

/** `null` without facts. */
export function shareIn(
  counts: readonly Checked<typeof StateCountsShape>[],
  states: readonly FactState[],
) {
  const all = sum(counts.flatMap((own) => Object.values(own)));
  const some = sum(counts.flatMap((own) => states.map((state) => own[state] ?? 0)));
  return all === 0 ? null : some / all;
}

/** The share of the facts that the first pivot was to keep which so many pivots kept, after Kaplan and Meier. */
export function keptAfter({ survival, pivots }: SummaryRow, count: number) {
  if (pivots.length < count || survival.length === 0) return null;
  const through = survival.slice(0, count).filter(({ atRisk }) => atRisk > 0);
  return through.reduce((kept, { atRisk, lost }) => kept * (1 - lost / atRisk), 1);
}

/** A sentence on who judged facts. */
export function describeJudge(judge: Checked<typeof Judge> | undefined): string {
  if (judge === undefined) return 'Facts judged by rules.';
  const { name, model, facts, unanswered, fault } = judge;
  const answered = model === undefined || model === name ? '' : `, which answered as ${model}`;
  const open = `; ${formatCount(unanswered)} of ${countOf(facts, 'fact')} unanswered by the judge: rules decide`;
  const why = fault === undefined ? '' : ` (${fault})`;
  return `Facts judged by ${name}${answered}${unanswered === 0 ? '' : `${open}${why}`}.`;
}

/** Tests if a reader that was asked does no better with the whole session than with nothing. */
export function isUndecided({ arms }: { readonly arms: readonly ArmProbes[] }) {
  const asked = arms.filter(({ questions }) => questions > 0);
  return asked.length > 0 && asked.every(({ left }) => left.mean === null);
}

function ofFacts(...states: readonly FactState[]): Measure {
  return ({ pivots: [first] }) => shareIn(Object.values(first?.kinds ?? {}), states);
}

function share(label: string, of: Measure, differs?: Differs): ArmMetric {
  return { label, unit: 'ratio', range: SHARE, of, differs };
}

/** The mean over pivots; unknown where any of them is, or there is none. */
function mean(
  [label, unit]: readonly [string, Metric['unit']],
  amountOf: (pivot: PivotScore) => number | undefined,
  differs?: Differs,
): ArmMetric {
  const of: Measure = ({ pivots }) => {
    const known = pivots.flatMap((pivot) => amountOf(pivot) ?? []);
    return known.length === 0 || known.length < pivots.length ? null : sum(known) / known.length;
  };
  return { label, unit, range: AMOUNT, of, differs };
}
