/** Notes on runs: baselines of savings, failures, unread inputs, totals. */

import { policies } from '../../engine/index.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import { combine, type MetricValues } from '../metrics/metrics.ts';
import { type CountedState, countsAs, modeOf, type RunRecord } from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Block, untrusted } from './document.ts';
import { countOf } from './numbers.ts';
import type { UnreadInput } from './report.ts';

export interface PolicyTotal {
  readonly policy: string;
  readonly runs: number;
  readonly completedRuns: number;
  /** Unknown where it is for any completed run, or none completed. */
  readonly metrics: MetricValues;
}

type BaselineName = NonNullable<RunRecord['baseline']>;

interface MeasuredRun extends Pick<RunRecord, 'session'> {
  readonly state: CountedState;
  readonly baseline?: BaselineName | undefined;
  readonly metrics: Readonly<Record<string, number | null>>;
}

const BEST_KNOWN = [
  ['boundMisses', 'misses'],
  ['boundRegretUsd', 'regretUsd'],
] as const;

/** Saved runs may have savings and not tell of what. */
export function countBaselines(runs: Iterable<MeasuredRun>) {
  const bySession = new Map<string, BaselineName | undefined>();
  for (const { session, state, baseline, metrics } of runs) {
    const isUntold = baseline === undefined && typeof metrics['tokensSaved'] === 'number';
    if (isUntold || state === 'skipped' || state === 'failed') continue;
    bySession.set(session, bySession.get(session) ?? baseline);
  }
  const names = [...bySession.values()];
  const count = (wanted: BaselineName | undefined) =>
    names.filter((name) => name === wanted).length;
  return { recorded: count('recorded'), none: count('none'), unknown: count(undefined) };
}

export function describeBaselines(
  { recorded, none, unknown }: ReturnType<typeof countBaselines>,
  unrecordedRequests: number,
) {
  const against = (
    [
      [recorded, 'against the run as recorded'],
      [none, 'against never compacting'],
      [unknown, 'unknown, since never compacting exceeds the window'],
    ] as const
  ).flatMap(([count, words]) => (count === 0 ? [] : [`${words} (${countOf(count, 'session')})`]));
  if (against.length === 0) return [];
  const lack = `The usage of ${countOf(unrecordedRequests, 'request')} is not recorded, as of most summary calls: '${RECORDED}' costs at least what is shown, and savings against it are at least as large.`;
  return [
    `Savings are net of summary calls: ${against.join('; ')}.`,
    ...(unrecordedRequests === 0 ? [] : [lack]),
  ];
}

export function describeSavings(runs: readonly (MeasuredRun & Pick<RunRecord, 'policy'>)[]) {
  const recorded = runs.filter(({ policy }) => policy === RECORDED);
  // A session may stand there for several models.
  const lacks = new Map(
    recorded.map(({ session, metrics }) => [session, metrics['unrecordedRequests'] ?? 0]),
  );
  return describeBaselines(countBaselines(runs), sum([...lacks.values()]));
}

export function unreadList(unread: readonly UnreadInput[]): Extract<Block, { type: 'list' }> {
  const items = unread.map((input) => untrusted(describeUnread(input)));
  return { type: 'list', title: 'Unread', items };
}

/** Most reasons name their file. */
export function describeUnread({ file, reason }: UnreadInput) {
  return reason.includes(file) ? reason : `${file}: ${reason}`;
}

/** The problems of an input, one by one, each with its file. */
export function unreadProblems(unread: UnreadInput) {
  const start = `${unread.file}:`;
  const [first = '', ...rest] = describeUnread(unread).split(`\n${start}`);
  return [first, ...rest.map((problem) => `${start}${problem}`)];
}

/** One total a policy, whose best known losses are no worse than others' over as many runs; throws for runs of both loops. */
export function totalPolicies(runs: readonly RunRecord[]): readonly PolicyTotal[] {
  if (new Set(runs.map(modeOf)).size > 1) {
    const message =
      'Expected the runs of a table to be all open loop or all closed loop, got both.';
    throw new HarnessError('BAD_RESULTS', message);
  }
  const totals = [...groupBy(runs, ({ policy }) => policy)].map(([policy, own]): PolicyTotal => {
    const completed = own.filter((run) => countsAs(run) === 'completed');
    const metrics = combine(completed.map((run) => run.metrics));
    return { policy, runs: own.length, completedRuns: completed.length, metrics };
  });
  // The control stands for itself, as does what did not complete everything.
  const groupOf = ({ runs: all, completedRuns }: PolicyTotal) =>
    completedRuns === all ? all : undefined;
  const groups = groupBy(totals, (total) =>
    total.policy === policies.none.name ? undefined : groupOf(total),
  );
  return totals.map((total) => {
    const peers = groups.get(groupOf(total) ?? -1) ?? [];
    const best = BEST_KNOWN.map(([bound, name]) => {
      const own = total.metrics[bound];
      const others = peers.flatMap(({ metrics }) => metrics[name] ?? []);
      return [bound, own === null ? null : Math.min(own, ...others)] as const;
    });
    return { ...total, metrics: { ...total.metrics, ...Object.fromEntries(best) } };
  });
}
