import { sum } from '../../lib/collections.ts';
import { NANO_USD_PER_USD } from '../../lib/units.ts';
import type { Metric } from '../../metrics/metric.ts';
import { accountProbes, falseRecallRate } from '../../metrics/probes/ask-probes.ts';
import {
  type QualityMetric,
  type QualityMetricName,
  qualityMetrics,
} from '../../metrics/quality/quality-metrics.ts';
import { AMOUNT, type Interval, SHARE } from '../../metrics/statistics/interval.ts';
import type { PivotScore, SummaryRow } from './summary-row.ts';

/** One number about an arm. */
export interface ArmMetric {
  readonly label: string;
  readonly unit: Metric['unit'] | 'per-kilotoken';
  readonly better?: 'higher' | 'lower';
  /** What it cannot lie beyond. */
  readonly range: Interval;
  /** Of one row; `null` where it is unknown. */
  of(row: SummaryRow): number | null;
}

const second = {
  retentionSecond: ofPivot('Retention, 2nd pivot', 'retention', 1),
  mustRetentionSecond: ofPivot('Must-facts kept, 2nd pivot', 'mustRetention', 1),
  staleRateSecond: ofPivot('Stale, 2nd pivot', 'staleRate', 1),
  hallucinationRateSecond: ofPivot('Hallucinated, 2nd pivot', 'hallucinationRate', 1),
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

/** The name of a number about an arm. */
export type ArmMetricName =
  | QualityMetricName
  | keyof typeof second
  | keyof typeof economy
  | keyof typeof probed;

/** What the first summary seldom meets: the mean over all summaries of which it is known. */
const OVER_PIVOTS: readonly QualityMetricName[] = ['injectionObedience', 'injectionRepeated'];

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

/** What tells summaries apart without a question, the main things first. */
export const OF_SUMMARIES: readonly ArmMetricName[] = [
  'retention',
  'retentionSecond',
  'mustRetention',
  'staleRate',
  'hallucinationRate',
  'compression',
  'summaryTokens',
  'costUsd',
];

/** What arms are compared by; the rest is descriptive. */
export const COMPARED: readonly ArmMetricName[] = [...OF_SUMMARIES, 'answered', 'falseRecall'];

function ofName(name: QualityMetricName): ArmMetric['of'] {
  if (!OVER_PIVOTS.includes(name)) return ({ pivots }) => pivots[0]?.summary[name] ?? null;
  return ({ pivots }) =>
    meanKnown(pivots.flatMap(({ summary: { [name]: value } }) => (value === null ? [] : value)));
}

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
