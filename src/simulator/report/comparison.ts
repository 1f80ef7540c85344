import type { RunMode } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric.ts';
import { metrics, titleOf } from '../metrics/metrics.ts';
import type { Estimate } from '../metrics/statistics/interval.ts';
import { judge, SAME_COST, type Verdict } from '../metrics/statistics/verdict.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatCount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatRatio,
  UNKNOWN,
} from './numbers.ts';
import { describeOrigin, type Origin } from './origin.ts';
import { describeMode, type UnreadInput } from './report.ts';
import type { Column } from './text-table.ts';

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
interface MetricValuesOfPair {
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

/** A line, and how many sessions it is about. */
interface Line {
  readonly text: string;
  readonly sessions: number;
}

/** The version of the shape of the JSON document. */
export const COMPARISON_VERSION = 3;

/** The table of metrics. */
export const METRIC_COLUMNS: readonly Column[] = [
  { title: 'Metric' },
  { title: 'A, mean', rank: 4 },
  { title: 'B, mean', rank: 3 },
  { title: 'B − A', rank: 0 },
  { title: '95 % interval', rank: 1 },
  { title: 'Wins/losses/ties of B', rank: 2 },
  { title: 'Verdict', holds: 'words' },
];

/** Policies of a side that are named. */
const MOST_POLICIES = 3;

const known: Readonly<Record<string, Metric>> = metrics;

/** Of sessions that are left out for the same reason so many are named. */
const MOST_NAMED = 5;
/** Lines after which other reasons are not told. */
const MOST_LINES = 20;

/** The metrics in which any session differs, one row each. */
export function metricRows({ metrics: compared }: Comparison): readonly (readonly string[])[] {
  return compared.filter(isDifferent).map((comparison) => {
    const { name, unit, meanA, meanB, difference } = comparison;
    return [
      titleOf(name),
      formatAmount(meanA, unit),
      formatAmount(meanB, unit),
      formatDifference(difference.value, unit),
      formatDifferenceInterval(difference.interval, unit),
      outcomesOf(comparison),
      verdictOf(comparison),
    ];
  });
}

/** What one side is: its name, and the policies in it where that is another one. */
export function describeSide(name: string, { policies }: SideOrigin): string {
  const [policy] = policies;
  if (policy === undefined || (policies.length === 1 && policy === name)) return name;
  const more = policies.length > MOST_POLICIES ? `, ${policies.length - MOST_POLICIES} more` : '';
  return `${name} (${policies.slice(0, MOST_POLICIES).join(', ')}${more})`;
}

/** What the numbers of both sides rest on; once, where that is the same. */
export function originLines({ origins }: Comparison): readonly string[] {
  const [a, b] = [describeOrigin(origins.a), describeOrigin(origins.b)];
  const lines = a === b ? [a] : [a && `A. ${a}`, b && `B. ${b}`];
  return lines.filter((line) => line !== '');
}

/** Sentences about the whole, the verdict on cost first. */
export function summaryLines(comparison: Comparison): readonly string[] {
  const { sessions, families, mode, metrics: compared, leftOut } = comparison;
  const same = compared.filter((metric) => !isDifferent(metric)).map(({ name }) => titleOf(name));
  return [
    describeCost(comparison),
    `${describePairs(comparison)}; ${formatCount(leftOut.length)} left out.`,
    ...(families < sessions ? [FAMILY_COUNTS_ONCE] : []),
    ...(same.length === 0 ? [] : [`The same in every session: ${same.join('; ')}.`]),
    `${describeMode(mode)} P-values are Holm-adjusted; metrics without one are descriptive.`,
  ];
}

/** How a session differs, in one line without its name. */
export function describeDifference({ measure, because, parting }: SessionDifference): string {
  const why = because === undefined ? '' : `; ${describeValues(because)}`;
  const where =
    parting === undefined
      ? ''
      : `; from step ${formatCount(parting.step)}: ${parting.a} vs ${parting.b}`;
  return `${describeValues(measure)}${why}${where}`;
}

/** Which sessions are left out, by reason; of many the first, and how many others. What comes from outside is quoted. */
export function leftOutLines(
  leftOut: readonly LeftOut[],
  quote: (text: string) => string = String,
): readonly string[] {
  const byReason = [...groupBy(leftOut, ({ reason }) => reason).values()];
  const lines = byReason.flatMap((sessions) => linesOf(sessions, quote));
  const others = lines.slice(MOST_LINES).reduce((total, { sessions }) => total + sessions, 0);
  const shown = lines.slice(0, MOST_LINES).map(({ text }) => text);
  return others === 0 ? shown : [...shown, `${countOf(others, 'other session')}, see JSON`];
}

function isDifferent({ difference, outcomes }: MetricComparison): boolean {
  const { value, interval } = difference;
  const isSame = value === 0 && (interval === null || interval.low === interval.high);
  return !isSame || (outcomes !== undefined && outcomes.wins + outcomes.losses > 0);
}

function outcomesOf({ outcomes }: MetricComparison): string {
  if (outcomes === undefined) return UNKNOWN;
  return [outcomes.wins, outcomes.losses, outcomes.ties].map(formatCount).join('/');
}

/** A difference that is certain, but smaller than what is shown of it, is told as such. */
function verdictOf({ verdict, pValue, difference, unit }: MetricComparison): string {
  const isApart = verdict === 'lower' || verdict === 'higher';
  const isShown = /[1-9]/.test(formatDifference(difference.value, unit));
  const words = isApart && !isShown ? `${verdict} by less than is shown` : verdict;
  return pValue === undefined ? words : `${words}, p ${formatP(pValue)}`;
}

function describeCost({ cost }: Comparison): string {
  if (cost === null) return 'Cost is unknown: the model has no known price.';
  const { geometricRatio, ratioOfTotals, verdict } = cost;
  const words = {
    lower: 'B is cheaper',
    higher: 'B is more expensive',
    equivalent: 'no difference that matters',
    'within noise': 'no difference beyond noise',
    'too few': 'too few sessions to say',
  } as const;
  const totals = ratioOfTotals === null ? UNKNOWN : formatRatio(ratioOfTotals);
  return `Cost: ${words[verdict]}. Geometric mean of B / A ${formatRatio(geometricRatio)}, ratio of totals ${totals}.${contraryOf(cost)}`;
}

/** What the bill says where it certainly goes another way than most sessions do. */
function contraryOf({ ratioOfTotals, verdict }: CostComparison): string {
  const way = judge(ratioOfTotals?.interval ?? null, SAME_COST);
  const isApart = way === 'lower' || way === 'higher';
  return !isApart || way === verdict
    ? ''
    : ` The bill for all together is ${way} under B all the same: dear sessions weigh more in it.`;
}

/** How many pairs there are, and of how many independent observations. */
function describePairs({ pairs, sessions, families }: Comparison): string {
  const shown = countOf(pairs, 'pair');
  if (families < sessions) return `${shown} of ${describeFamilies({ sessions, families })}`;
  return sessions === pairs ? shown : `${shown} of ${countOf(sessions, 'session')}`;
}

function describeValues({ metric, a, b }: MetricValuesOfPair): string {
  const unit = known[metric]?.unit ?? 'count';
  return `${titleOf(metric)} ${formatAmount(a, unit)} → ${formatAmount(b, unit)}`;
}

/** The lines of sessions that have their reason in common. */
function linesOf(sessions: readonly LeftOut[], quote: (text: string) => string): readonly Line[] {
  const named = sessions.slice(0, MOST_NAMED).map(({ session, reason }) => ({
    text: `${quote(session)}: ${quote(reason)}`,
    sessions: 1,
  }));
  const others = sessions.length - named.length;
  const reason = quote(sessions[0]?.reason ?? '');
  return others === 0
    ? named
    : [...named, { text: `${countOf(others, 'other session')}: ${reason}`, sessions: others }];
}
