import { groupBy } from '../lib/collections.ts';
import type { ComparisonSchema } from './comparison-schema.ts';
import { type Text, untrusted } from './document.ts';
import type { Metric } from '../metrics/metric.ts';
import { metrics, titleOf } from '../metrics/metrics.ts';
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
import { describeOrigin } from './origin.ts';
import { describeMode } from './report.ts';
import type { Checked } from './saved/shapes.ts';
import type { Arm } from './arms.ts';
import { describeWork } from './check-bill.ts';
import { nameSessions, type NamedStory } from './stories.ts';
import type { Column } from './text-table.ts';
import type { Conclusion } from './verdict.ts';
import { verdictLines } from './verdict-lines.ts';

/** Two policies or two files of results, paired by session. */
export type Comparison = Omit<Checked<typeof ComparisonSchema>, 'comparisonVersion'>;

/** The origin of one side. */
export type SideOrigin = Comparison['origins']['a'];
/** The cost of the second arm as a multiple of that of the first. */
export type CostComparison = NonNullable<Comparison['cost']>;
/** One metric under both arms. */
export type MetricComparison = Comparison['metrics'][number];
/** A session in which the arms are far apart, and why. */
export type SessionDifference = Comparison['mostDifferent'][number];
/** A metric of one session under both arms. */
type MetricValuesOfPair = SessionDifference['measure'];
/** The first step at which two runs do different things, in words. */
export type Parting = NonNullable<SessionDifference['parting']>;
/** A session that is not compared, and why. */
export type LeftOut = Comparison['leftOut'][number];

/** A line, and how many sessions it is about. */
interface Line {
  readonly text: Text;
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
  { title: 'p, adjusted', rank: 2 },
];

/** Policies of a side that are named. */
const MOST_POLICIES = 3;

const known: Readonly<Record<string, Metric>> = metrics;

/** Of sessions that are left out for the same reason so many are named. */
const MOST_NAMED = 5;
/** Lines after which other reasons are not told. */
const MOST_LINES = 20;

/** The metrics in which any session differs, one row each; or those of them that are wanted. */
export function metricRows(
  { metrics: compared }: Comparison,
  isWanted: (metric: MetricComparison) => boolean = () => true,
): readonly (readonly string[])[] {
  return compared
    .filter((one) => isDifferent(one) && isWanted(one))
    .map(({ name, label, unit, meanA, meanB, difference, pValue }) => [
      label === known[name]?.label ? titleOf(name) : label,
      formatAmount(meanA, unit),
      formatAmount(meanB, unit),
      formatDifference(difference.value, unit),
      formatDifferenceInterval(difference.interval, unit),
      pValue === undefined ? '' : formatP(pValue),
    ]);
}

/** The verdict of a comparison with its evidence, where that is told. */
export function conclusionOf({ verdict = [], conclusion }: Comparison): Conclusion {
  const counts = { sessions: 0, families: 0, allSessions: verdict.length };
  return { verdict, ...(conclusion ?? counts) };
}

/** The outcome of a comparison; of an adapter also how often it compacted, and what that broke. */
export function comparisonLines(comparison: Comparison): readonly Text[] {
  const { b, bill, stories } = comparison;
  const lines = verdictLines(conclusionOf(comparison), bill && b);
  if (bill === undefined) return lines;
  const session = bill.firstCacheBreak?.session ?? '';
  const name = nameSessions([session], stories).get(session) ?? session;
  return [...lines, untrusted(describeWork(bill, name))];
}

/** Both sides and all arms beside them, with their sessions; none where a comparison does not have them. */
export function armsOfSides({ a, b, runs, others = [] }: Comparison): readonly Arm[] {
  return runs === undefined
    ? []
    : [{ name: a, runs: runs.a }, ...others, { name: b, runs: runs.b }];
}

/** Tells what is judged first and what certainly differs from the rest. */
export function isTold(metric: MetricComparison): boolean {
  const isApart = metric.verdict === 'lower' || metric.verdict === 'higher';
  return isApart || metric.pValue !== undefined;
}

/** Describes a side by its name, and by its policies where those are named otherwise. */
export function describeSide(name: string, { policies }: SideOrigin): string {
  const [policy] = policies;
  if (policy === undefined || (policies.length === 1 && policy === name)) return name;
  const more = policies.length > MOST_POLICIES ? `, ${policies.length - MOST_POLICIES} more` : '';
  return `${name} (${policies.slice(0, MOST_POLICIES).join(', ')}${more})`;
}

/** Describes the origin of both sides; once, where it is the same. */
export function originLines({ origins }: Comparison): readonly string[] {
  const [a, b] = [describeOrigin(origins.a), describeOrigin(origins.b)];
  const lines = a === b ? [a] : [a && `A. ${a}`, b && `B. ${b}`];
  return lines.filter((line) => line !== '');
}

/** Sentences about the whole, how costs compare first. */
export function summaryLines(comparison: Comparison): readonly string[] {
  const { sessions, families, mode, leftOut } = comparison;
  return [
    describeCost(comparison),
    `${describePairs(comparison)}; ${formatCount(leftOut.length)} left out.`,
    ...(families < sessions ? [FAMILY_COUNTS_ONCE] : []),
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

/** Sessions that are left out, by reason; of many the first, and how many others. */
export function leftOutLines(
  leftOut: readonly LeftOut[],
  stories?: readonly NamedStory[],
): readonly Text[] {
  const names = nameSessions(
    leftOut.map(({ session }) => session),
    stories,
  );
  const named = leftOut.map((one) => ({ ...one, session: names.get(one.session) ?? one.session }));
  const byReason = [...groupBy(named, ({ reason }) => reason).values()];
  const lines = byReason.flatMap(linesOf);
  const others = lines.slice(MOST_LINES).reduce((total, { sessions }) => total + sessions, 0);
  const shown = lines.slice(0, MOST_LINES).map(({ text }) => text);
  return others === 0 ? shown : [...shown, `${countOf(others, 'other session')}, see JSON`];
}

/** The lines of sessions that have their reason in common. */
function linesOf(sessions: readonly LeftOut[]): readonly Line[] {
  const named = sessions.slice(0, MOST_NAMED).map(({ session, reason }) => ({
    text: [untrusted(session), ': ', untrusted(reason)],
    sessions: 1,
  }));
  const others = sessions.length - named.length;
  const reason = untrusted(sessions[0]?.reason ?? '');
  return others === 0
    ? named
    : [...named, { text: [`${countOf(others, 'other session')}: `, reason], sessions: others }];
}

function isDifferent({ difference, outcomes }: MetricComparison): boolean {
  const { value, interval } = difference;
  const isSame = value === 0 && (interval === null || interval.low === interval.high);
  return !isSame || (outcomes !== undefined && outcomes.wins + outcomes.losses > 0);
}

function describeCost({ cost }: Comparison): string {
  if (cost === null) return 'Cost is unknown: the model has no known price.';
  const { geometricRatio, ratioOfTotals } = cost;
  const totals = ratioOfTotals === null ? UNKNOWN : formatRatio(ratioOfTotals);
  return `Cost: geometric mean of B / A ${formatRatio(geometricRatio)}, ratio of totals ${totals}.`;
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
