import { sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { Metric } from '../metrics/metric.ts';
import { accountProbes, falseRecallRate, type ProbeResult } from '../metrics/probes/ask-probes.ts';
import {
  type QualityMetric,
  type QualityMetricName,
  qualityMetrics,
  type QualityValues,
} from '../metrics/quality/quality-metrics.ts';
import { AMOUNT, type Interval, SHARE } from '../metrics/statistics/interval.ts';
import type { FactKind } from '../session/facts.ts';

/** One number about an arm. */
interface ArmMetric {
  readonly label: string;
  readonly unit: Metric['unit'] | 'per-kilotoken';
  readonly better?: 'higher' | 'lower';
  /** Bounds of its values. */
  readonly range: Interval;
  /** Of one row; `null` where it is unknown. */
  of(row: SummaryRow): number | null;
}

/** The name of a number about an arm. */
export type ArmMetricName =
  | QualityMetricName
  | keyof typeof second
  | keyof typeof economy
  | keyof typeof probed;

/** One summarizer with one prompt on one session, once. It holds sizes, hashes and numbers, never texts. */
export interface SummaryRow {
  readonly rowVersion: typeof SUMMARY_ROW_VERSION;
  readonly scorerVersion: number;
  /** Hash of all that rows have to share: policy, number and places of pivots, tokenizer, seed. */
  readonly bench: string;
  /** Conditions of which that is the hash; absent in rows without them. */
  readonly conditions?: BenchConditions | undefined;
  readonly scenario: string;
  /** Hash of its messages and facts. */
  readonly scenarioHash: string;
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string | undefined;
  /** `planted` where the session names what is to be kept, `extracted` where it was taken from its texts. */
  readonly facts: 'planted' | 'extracted';
  readonly summarizer: string;
  /** Settings that decide its answers besides its name; absent where there are none. */
  readonly settings?: SummarizerSettings | undefined;
  /** As the provider named what answered; the summarizer itself where none did. */
  readonly model: string;
  readonly prompt: string;
  readonly promptHash: string;
  /** From 1. */
  readonly repeat: number;
  /** Repetitions may differ; otherwise they are no further evidence. */
  readonly isRandom: boolean;
  /** The pivots that could be scored, in order. */
  readonly pivots: readonly PivotScore[];
  /** Facts that went through one pivot, two pivots, and so on, and those that the summary lost there. */
  readonly survival: readonly SurvivalCount[];
  /** The same of the view; absent in rows that do not tell. */
  readonly viewSurvival?: readonly SurvivalCount[] | undefined;
  /** Who answered questions, and who judged; absent where nobody was asked. */
  readonly reader?: string | undefined;
  /** Hash of all that reader and judges are told beside the session. */
  readonly questions?: string | undefined;
  /** Results of the questions after the first pivot. */
  readonly probes?: readonly ProbeResult[] | undefined;
  /** Why questions have no result, one reason each; they are in no score. */
  readonly unanswered?: readonly string[] | undefined;
  /** The model behind each reader and judge that has one, as its provider names it. */
  readonly readerModels?: Readonly<Record<string, string>> | undefined;
  /** Why there are fewer than were wanted; absent where there are not. */
  readonly missing?: MissingPivot | undefined;
}

/** Conditions of the rows of a comparison, each as a short string: a number, a name or a hash. */
export interface BenchConditions {
  readonly policy: string;
  /** With its limits; absent where it decides nothing, since the places are given. */
  readonly model?: string | undefined;
  readonly pivots: string;
  readonly places: string;
  readonly tokenizer: string;
  readonly seed: string;
}

/** Settings that decide the answers of a summarizer besides its name. */
export type SummarizerSettings = Readonly<Record<string, string | number | boolean>>;

/** Facts that went through as many pivots, and how many of them were lost in the last one. */
export interface SurvivalCount {
  readonly atRisk: number;
  readonly lost: number;
}

/** Why a pivot has no score. */
export interface MissingPivot {
  /** Which one, from 1. */
  readonly pivot: number;
  /**
   * `failed`: the summarizer or a guard let it down. `broken`: it could not even be asked, as without a budget.
   * `unreached`: the session ended before.
   */
  readonly state: 'failed' | 'broken' | 'unreached';
  readonly reason: string;
  /** Nobody answered, which may differ another time; no such row is kept. */
  readonly isUnanswered?: true;
}

/** The score of one pivot. */
export interface PivotScore {
  readonly summary: QualityValues;
  /** The same numbers of all that the model still sees. */
  readonly view: QualityValues;
  /** Shares kept by the summary, by kind of fact. */
  readonly kinds: Readonly<Partial<Record<FactKind, number | null>>>;
  readonly mustFacts: number;
  readonly mustDropped: number;
  readonly headTokens: number;
  readonly summaryTokens: number;
  readonly viewTokens: number;
  /** Requests that were needed. */
  readonly calls: number;
  /** Absent where nothing tells, which is not 0. */
  readonly costNanoUsd?: number | undefined;
  readonly latencyMs?: number | undefined;
  /** The answer ended because it was too long. */
  readonly isCut: boolean;
}

const second = {
  retentionSecond: ofPivot('Retention, 2nd pivot', 'retention', 1),
  mustRetentionSecond: ofPivot('Must-facts kept, 2nd pivot', 'mustRetention', 1),
  staleRateSecond: ofPivot('Stale, 2nd pivot', 'staleRate', 1),
  compressionSecond: ofPivot('Compression, 2nd pivot', 'compression', 1),
  viewRetention: ofView('Retention of the view', 0),
  viewRetentionSecond: ofView('Retention of the view, 2nd pivot', 1),
} satisfies Record<string, ArmMetric>;

const economy = {
  summaryTokens: {
    label: 'Summary tokens',
    unit: 'tokens',
    better: 'lower',
    range: AMOUNT,
    of: ({ pivots }) => meanKnown(pivots.map(({ summaryTokens }) => summaryTokens)),
  },
  costUsd: {
    label: 'Cost of a compaction',
    unit: 'usd',
    better: 'lower',
    range: AMOUNT,
    of: ({ pivots }) => {
      const nanoUsd = meanKnown(pivots.map(({ costNanoUsd }) => costNanoUsd));
      return nanoUsd === null ? null : nanoUsd / NANO_USD_PER_USD;
    },
  },
  latencyMs: {
    label: 'Latency of a compaction',
    unit: 'ms',
    better: 'lower',
    range: AMOUNT,
    of: ({ pivots }) => meanKnown(pivots.map(({ latencyMs }) => latencyMs)),
  },
} satisfies Record<string, ArmMetric>;

const probed = {
  answered: {
    label: 'Questions answered',
    unit: 'ratio',
    better: 'higher',
    range: SHARE,
    of: ({ probes = [] }) => accountProbes(probes).accuracy.compacted,
  },
  falseRecall: {
    label: 'False recall',
    unit: 'ratio',
    better: 'lower',
    range: SHARE,
    of: ({ probes = [] }) => falseRecallRate(probes),
  },
} satisfies Record<string, ArmMetric>;

/** All numbers about an arm by name: those of the first summary, then what came after, then what it took. */
export const armMetrics: Readonly<Record<ArmMetricName, ArmMetric>> = {
  ...(Object.fromEntries(
    Object.entries<QualityMetric>(qualityMetrics).map(([name, { label, unit, better }]) => [
      name,
      {
        ...(better && { better }),
        label,
        unit,
        range: rangeOf(name as QualityMetricName),
        of: ofName(name as QualityMetricName),
      },
    ]),
  ) as Record<QualityMetricName, ArmMetric>),
  ...second,
  ...economy,
  ...probed,
};

/** Metrics that tell summaries apart without a question, the main ones first. */
export const OF_SUMMARIES: readonly ArmMetricName[] = [
  'retention',
  'retentionSecond',
  'mustRetention',
  'staleRate',
  'contradictedRate',
  'compression',
  'summaryTokens',
  'costUsd',
];

/** Metrics by which arms are compared; the rest is descriptive. */
export const COMPARED: readonly ArmMetricName[] = [...OF_SUMMARIES, 'answered', 'falseRecall'];

/** Changes whenever rows of before mean something else. */
export const SUMMARY_ROW_VERSION = 2;

function ofPivot(label: string, name: QualityMetricName, index: number): ArmMetric {
  const { unit, better }: QualityMetric = qualityMetrics[name];
  const of = ({ pivots }: SummaryRow) => pivots[index]?.summary[name] ?? null;
  return { label, unit, ...(better && { better }), range: rangeOf(name), of };
}

/** A text may be longer than what it stands for, which compresses less than nothing. */
function rangeOf(name: QualityMetricName): Interval {
  if (name === 'compression') return { low: -Infinity, high: SHARE.high };
  return qualityMetrics[name].unit === 'ratio' ? SHARE : AMOUNT;
}

function ofView(label: string, index: number): ArmMetric {
  const of = ({ pivots }: { readonly pivots: readonly PivotScore[] }) =>
    pivots[index]?.view.retention ?? null;
  return { label, unit: 'ratio', better: 'higher', range: SHARE, of };
}

/** The mean; unknown where any of them is, or there is none. */
function meanKnown(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) return null;
  return sum(known) / known.length;
}

function ofName(name: QualityMetricName): ArmMetric['of'] {
  return ({ pivots }) => pivots[0]?.summary[name] ?? null;
}
