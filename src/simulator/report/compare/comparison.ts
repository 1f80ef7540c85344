import type { Metric } from '../../metrics/metric.ts';
import type { Estimate } from '../../metrics/statistics/interval.ts';
import type { Verdict } from '../../metrics/statistics/verdict.ts';
import type { RunMode } from '../../events.ts';
import type { Origin } from '../origin.ts';
import type { UnreadInput } from '../report.ts';

/** The version of the shape of the JSON document. */
export const COMPARISON_VERSION = 3;

/** Two policies or two files of results, paired by session. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  /** What the numbers of either side rest on, as far as it is known. */
  readonly origins: { readonly a: SideOrigin; readonly b: SideOrigin };
  readonly model: string;
  readonly summarizer: string;
  readonly mode: RunMode;
  /** Of the resamples. */
  readonly seed: number;
  /** Pairs in which both completed; only they are compared. */
  readonly pairs: number;
  /** Sessions that the pairs are of; pairs of one session are no independent evidence. */
  readonly sessions: number;
  /** Families of those sessions, the independent pieces of evidence: a family counts once. */
  readonly families: number;
  readonly cost: CostComparison | null;
  readonly metrics: readonly MetricComparison[];
  readonly mostDifferent: readonly SessionDifference[];
  readonly leftOut: readonly LeftOut[];
  /** Runs of either side that broke, or broke a law. */
  readonly failedRuns: number;
  readonly unread: readonly UnreadInput[];
}

/** Where one side comes from. */
export interface SideOrigin extends Origin {
  readonly policies: readonly string[];
}

/** How often the cost of the first arm the second one costs. */
export interface CostComparison {
  readonly pairs: number;
  /** The primary statistic. */
  readonly geometricRatio: Estimate;
  readonly verdict: Verdict;
  /** What the bill sees; `null` where the first arm is free. */
  readonly ratioOfTotals: Estimate | null;
}

/** One metric under both arms. */
export interface MetricComparison {
  readonly name: string;
  readonly label: string;
  readonly unit: Metric['unit'];
  /** Pairs in which it is known on both sides. */
  readonly pairs: number;
  readonly meanA: number;
  readonly meanB: number;
  /** Mean of what the second arm has more. */
  readonly difference: Estimate;
  readonly verdict: Verdict;
  /** Adjusted by Holm for the primary metrics; absent for all others, which are descriptive. */
  readonly pValue?: number | null;
  /** d_z. */
  readonly effectSize: number | null;
  /** Of the second arm; absent where neither direction is better. */
  readonly outcomes?: PairOutcomes;
}

/** How the families went for the second arm, each by its mean; under each policy where there are several. */
export interface PairOutcomes {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  readonly probabilityOfSuperiority: number | null;
}

/** A session in which the arms are far apart, and why. */
export interface SessionDifference {
  readonly session: string;
  /** Where there are several arms on each side. */
  readonly arm?: string;
  /** The metric that sessions are ordered by. */
  readonly measure: MetricValuesOfPair;
  /** What sets it apart from other sessions, beside that. */
  readonly because?: MetricValuesOfPair;
  /** Where the runs part; absent where they are not at hand. */
  readonly parting?: Parting;
}

/** A metric of one session under both arms. */
export interface MetricValuesOfPair {
  readonly metric: string;
  readonly a: number;
  readonly b: number;
}

/** The first step at which two runs do different things, in words. */
export interface Parting {
  readonly step: number;
  readonly a: string;
  readonly b: string;
}

/** A session that is not compared, and why. */
export interface LeftOut {
  readonly session: string;
  readonly reason: string;
}
