import { sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { Metric } from '../metrics/metric.ts';
import { type ProbeResult, shareRight } from '../metrics/probes/ask-probes.ts';
import type { FactState } from '../metrics/quality/fact-states.ts';
import { AMOUNT, type Interval, SHARE } from '../metrics/statistics/interval.ts';
import type { FactKind } from '../session/facts.ts';

/** One number about an arm. */
interface ArmMetric {
  readonly label: string;
  readonly unit: Metric['unit'] | 'per-kilotoken';
  /** How a difference is told that is certain. */
  readonly differs: DifferenceWords;
  /** Bounds of its values. */
  readonly range: Interval;
  /** Of one row; `null` where it is unknown. */
  of(row: SummaryRow): number | null;
}

/** Words for less and for more. Only answers of a reader are better or worse; `undefined`: nothing judges it. */
type DifferenceWords = readonly [lower: string, higher: string] | undefined;

/** The name of a number about an arm. */
export type ArmMetricName = keyof typeof metrics;

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
  /** Who says what is to be kept: the generator of the session, or a user's file; `none` where nobody does. */
  readonly facts: FactSource;
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
  /** Who answered questions; absent where nobody was asked. */
  readonly reader?: string | undefined;
  /** Hash of all that the reader is told beside the session. */
  readonly questions?: string | undefined;
  /** Results of the questions after the first pivot. */
  readonly probes?: readonly ProbeResult[] | undefined;
  /** Why questions have no result, one reason each; they are in no score. */
  readonly unanswered?: readonly string[] | undefined;
  /** The model behind the reader, as its provider names it. */
  readonly readerModel?: string | undefined;
  /** Why there are fewer than were wanted; absent where there are not. */
  readonly missing?: MissingPivot | undefined;
}

/** Who says what is to be kept of a session. */
export const FACT_SOURCES = ['planted', 'stated', 'none'] as const;

export type FactSource = (typeof FACT_SOURCES)[number];

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
  /** How many facts of each kind are in each state in the summary; empty where nobody says what is to be kept. */
  readonly kinds: Readonly<Partial<Record<FactKind, StateCounts>>>;
  readonly mustFacts: number;
  readonly mustDropped: number;
  /** Strings of the head that later steps use. */
  readonly strings: number;
  readonly stringsKept: number;
  /** The same of random lines of the head that are as long as the summary. */
  readonly stringsInRandomLines: number;
  readonly headTokens: number;
  readonly summaryTokens: number;
  readonly viewTokens: number;
  /** Requests of the summarizer, with those that a policy sent again. */
  readonly calls: number;
  /** Unknown where a call has no price. */
  readonly costNanoUsd?: number | undefined;
  readonly latencyMs?: number | undefined;
  /** The answer ended at the cap. */
  readonly isCut: boolean;
}

/** How many facts are in each state; absent states have none. */
export type StateCounts = Readonly<Partial<Record<FactState, number>>>;

const metrics = {
  answered: {
    label: 'Questions answered',
    unit: 'ratio',
    differs: ['worse', 'better'],
    range: SHARE,
    of: ({ probes = [] }) => shareRight(probes, 'compacted'),
  },
  factsKept: ofFacts('Facts kept', 0, ['less kept', 'more kept']),
  factsKeptSecond: ofFacts('Facts kept, 2nd compaction', 1, ['less kept', 'more kept']),
  contradicted: { ...ofFacts('Contradicted', 0, undefined), of: shareOf(0, 'contradicted') },
  stale: { ...ofFacts('Stale', 0, undefined), of: shareOf(0, 'stale') },
  stringsKept: ofStrings('Strings kept', ({ stringsKept, strings }) => stringsKept / strings),
  stringsInRandomLines: ofStrings(
    'Strings in random lines of the same size',
    ({ stringsInRandomLines, strings }) => stringsInRandomLines / strings,
  ),
  stringsPerKilotoken: {
    ...ofStrings('Strings kept per 1,000 tokens', ({ stringsKept, summaryTokens }) =>
      summaryTokens === 0 ? null : (1_000 * stringsKept) / summaryTokens,
    ),
    unit: 'per-kilotoken',
    range: AMOUNT,
  },
  summaryTokens: {
    label: 'Summary tokens',
    unit: 'tokens',
    differs: ['shorter', 'longer'],
    range: AMOUNT,
    of: ({ pivots }) => meanKnown(pivots.map(({ summaryTokens }) => summaryTokens)),
  },
  costUsd: {
    label: 'Cost of a compaction',
    unit: 'usd',
    differs: ['cheaper', 'dearer'],
    range: AMOUNT,
    of: ({ pivots }) => {
      const nanoUsd = meanKnown(pivots.map(({ costNanoUsd }) => costNanoUsd));
      return nanoUsd === null ? null : nanoUsd / NANO_USD_PER_USD;
    },
  },
  latencyMs: {
    label: 'Latency of a compaction',
    unit: 'ms',
    differs: ['faster', 'slower'],
    range: AMOUNT,
    of: ({ pivots }) => meanKnown(pivots.map(({ latencyMs }) => latencyMs)),
  },
} satisfies Record<string, ArmMetric>;

/** All numbers about an arm by name, the most telling first. Those without a pivot's number are of the first summary. */
export const armMetrics: Readonly<Record<ArmMetricName, ArmMetric>> = metrics;

/** Metrics by which arms are compared; the rest is descriptive. */
export const COMPARED: readonly ArmMetricName[] = [
  'answered',
  'factsKept',
  'factsKeptSecond',
  'stringsKept',
  'summaryTokens',
  'costUsd',
];

/** Changes whenever rows of before mean something else. */
export const SUMMARY_ROW_VERSION = 3;

/** How many facts are counted. */
export function countStates(counts: StateCounts | undefined): number {
  return counts === undefined ? 0 : sum(Object.values(counts));
}

function ofFacts(label: string, index: number, differs: DifferenceWords): ArmMetric {
  return { label, unit: 'ratio', differs, range: SHARE, of: shareOf(index, 'kept') };
}

/** The share of facts in a state after a pivot; unknown without facts. */
function shareOf(index: number, state: FactState): ArmMetric['of'] {
  return ({ pivots }) => {
    const counts = Object.values(pivots[index]?.kinds ?? {});
    const all = sum(counts.map(countStates));
    return all === 0 ? null : sum(counts.map((own) => own[state] ?? 0)) / all;
  };
}

function ofStrings(label: string, of: (pivot: PivotScore) => number | null): ArmMetric {
  return {
    label,
    unit: 'ratio',
    differs: undefined,
    range: SHARE,
    of: ({ pivots: [first] }) => (first === undefined || first.strings === 0 ? null : of(first)),
  };
}

/** The mean; unknown where any of them is, or there is none. */
function meanKnown(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) return null;
  return sum(known) / known.length;
}
