/** Descriptions of runs that several reports share: the kept view, losses, failures, totals. */

import {
  type KeepEnds,
  type KeptAmount,
  type Limits,
  type MemoryPolicy,
  policies,
  type Policy,
} from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import { combine, type MetricValues } from '../metrics/metrics.ts';
import {
  type CountedReason,
  type CountedState,
  countsAs,
  modeOf,
  type RunRecord,
  sumReasons,
} from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';
import { messagesInWindow } from '../scenario/settings.ts';
import { type Block, type Text, untrusted } from './document.ts';
import { countOf, formatCount, formatShortPercent } from './numbers.ts';
import type { UnreadInput } from './report.ts';

/** A policy whose summaries failed, and why. */
interface PolicyFailures {
  readonly policy: string;
  /** The most frequent first. */
  readonly reasons: readonly CountedReason[];
}

/** A policy's completed runs taken together. */
export interface PolicyTotal {
  readonly policy: string;
  readonly runs: number;
  readonly completedRuns: number;
  /** Unknown where it is unknown for any completed run, or where none completed. */
  readonly metrics: MetricValues;
}

type BaselineName = NonNullable<RunRecord['baseline']>;

/** How many sessions have each baseline of savings, or none. */
export type BaselineCounts = Readonly<Record<BaselineName | 'unknown', number>>;

interface MeasuredRun extends Pick<RunRecord, 'session'> {
  readonly state: CountedState;
  readonly baseline?: BaselineName | undefined;
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** A row of a table with its metrics. */
interface Ranked {
  readonly policy: string;
  readonly metrics: MetricValues;
}

const NOTHING = 'nothing';

const UNIT_WORDS = { messages: 'message', events: 'event', tokens: 'token' } as const;
/** Of which tokens a share stays. */
const SHARED = { window: 'window', usable: 'usable tokens' } as const;

/** Bounds in tables, and the numbers that they are bounds of. */
const BEST_KNOWN = [
  ['boundMisses', 'misses'],
  ['boundRegretUsd', 'regretUsd'],
] as const;

/** Of each policy; more would tell little else. */
const SHOWN_REASONS = 3;

/** Describes in words what stays in the view when older context leaves it. */
export function renderKept(policy: Policy, limits: Limits): string {
  const { memory, resume } = policy;
  const kept = memory ? renderMemory(memory) : (renderWindow(policy) ?? renderCut(policy, limits));
  const { rereads } = resume;
  return rereads === undefined ? kept : `${kept}; re-reads up to ${countOf(rereads.files, 'file')}`;
}

/** The same as numbers for programs; `null` where a policy has none of the kind. */
export function toPlainKept(policy: Policy, limits: Limits) {
  return {
    cut: policy.cut,
    tailBudgetTokens: tailBudgetTokens(policy, limits) ?? null,
    windowMessages: messagesInWindow(policy) ?? null,
    memory: policy.memory ?? null,
  };
}

/**
 * Rows whose best known losses are no worse than those of any other row of their group. The control, which never loses
 * anything, stands for itself; a row without a group, too.
 */
export function withBestKnown<Row extends Ranked>(
  rows: readonly Row[],
  groupOf: (row: Row) => string | undefined,
): readonly Row[] {
  const groups = groupBy(
    rows.filter(({ policy }) => policy !== policies.none.name),
    groupOf,
  );
  return rows.map((row) => {
    const group = groups.get(groupOf(row) ?? '') ?? [];
    const best = BEST_KNOWN.map(([bound, name]) => {
      const own = row.metrics[bound];
      const others = group.flatMap(({ metrics }) => metrics[name] ?? []);
      return [bound, own === null ? null : Math.min(own, ...others)] as const;
    });
    return { ...row, metrics: { ...row.metrics, ...Object.fromEntries(best) } };
  });
}

/** How many sessions have each baseline of savings; without any they are unknown. Saved runs may have savings and not tell of what. */
export function countBaselines(runs: Iterable<MeasuredRun>): BaselineCounts {
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

/** The baselines of savings, and how many requests of the recorded runs are not recorded; nothing where nothing was run. */
export function describeBaselines(
  { recorded, none, unknown }: BaselineCounts,
  unrecordedRequests: number,
): readonly string[] {
  const against = [
    ...inSessions(recorded, 'against the run as recorded'),
    ...inSessions(none, 'against never compacting'),
    ...inSessions(unknown, 'unknown, since never compacting exceeds the window'),
  ];
  if (against.length === 0) return [];
  const lack = `The usage of ${countOf(unrecordedRequests, 'request')} is not recorded, as of most summary calls: '${RECORDED}' costs at least what is shown, and savings against it are at least as large.`;
  return [
    `Savings are net of summary calls: ${against.join('; ')}.`,
    ...(unrecordedRequests === 0 ? [] : [lack]),
  ];
}

/** The same of runs. */
export function describeSavings(
  runs: readonly (MeasuredRun & Pick<RunRecord, 'policy'>)[],
): readonly string[] {
  const recorded = runs.filter(({ policy }) => policy === RECORDED);
  // A session may stand there for several models.
  const lacks = new Map(
    recorded.map(({ session, metrics }) => [session, metrics['unrecordedRequests'] ?? 0]),
  );
  return describeBaselines(countBaselines(runs), sum([...lacks.values()]));
}

/** Why summaries failed, in sentences, one a policy. */
export function describeFailures(runs: readonly RunRecord[]): readonly Text[] {
  return collectFailures(runs).map(({ policy, reasons }) => {
    const shown = reasons
      .slice(0, SHOWN_REASONS)
      .map(({ reason, times }) => [`${formatCount(times)} × `, untrusted(reason)]);
    const rest = reasons.slice(SHOWN_REASONS).reduce((sum, { times }) => sum + times, 0);
    const more = rest === 0 ? [] : [[`${formatCount(rest)} × something else`]];
    const told = [...shown, ...more].flatMap((own, place) => (place === 0 ? own : ['; ', ...own]));
    return ['Summaries that failed under ', untrusted(policy), ': ', ...told];
  });
}

/** The inputs that could not be read, as a list of a document. */
export function unreadList(unread: readonly UnreadInput[]): Extract<Block, { type: 'list' }> {
  const items = unread.map((input) => untrusted(describeUnread(input)));
  return { type: 'list', title: 'Unread', items };
}

/** Why an input could not be read, with its file, which most reasons name. */
export function describeUnread({ file, reason }: UnreadInput): string {
  return reason.includes(file) ? reason : `${file}: ${reason}`;
}

/** The problems of an input, one by one, each with its file. */
export function unreadProblems(unread: UnreadInput): readonly string[] {
  const start = `${unread.file}:`;
  const [first = '', ...rest] = describeUnread(unread).split(`\n${start}`);
  return [first, ...rest.map((problem) => `${start}${problem}`)];
}

/** One total for each policy, in the order of first appearance; throws where runs of both loops would stand together. */
export function totalPolicies(runs: readonly RunRecord[]): readonly PolicyTotal[] {
  if (new Set(runs.map(modeOf)).size > 1) {
    const message =
      'Expected the runs of a table to be all open loop or all closed loop, got both.';
    throw new HarnessError('BAD_RESULTS', message);
  }
  const names = new Set(runs.map((run) => run.policy));
  return withBestKnown(
    [...names].map((policy) => totalPolicy(policy, runs)),
    (total) => (total.completedRuns === total.runs ? `${total.runs}` : undefined),
  );
}

function renderMemory({ keepMessages, recallEntries, recallTokens }: MemoryPolicy): string {
  const back = `up to ${countOf(recallEntries, 'piece')}, together ${countOf(recallTokens, 'token')}`;
  return `${renderNewest(keepMessages, 'message')}; what is older moves to a memory, of which ${back}, come back for a request; there is no compaction`;
}

function renderNewest(count: number, word: string): string {
  if (count === 0) return NOTHING;
  return count === 1 ? `the newest ${word}` : `the newest ${countOf(count, word)}`;
}

function renderWindow(policy: Policy): string | undefined {
  const count = messagesInWindow(policy);
  if (count === undefined) return undefined;
  return `${renderNewest(count, 'message')}; what is older is dropped; there is no compaction`;
}

function renderCut(policy: Policy, limits: Limits): string {
  const { cut } = policy;
  switch (cut.keep) {
    case 'nothing':
      return NOTHING;
    case 'everything':
      return 'everything; there is no compaction';
    case 'last-messages':
    case 'newest-messages':
      return renderNewest(cut.count, 'message');
    case 'last-turns':
      return renderNewest(cut.count, 'turn');
    case 'recent-turns':
      return renderTurns(cut.turns, tailBudgetTokens(policy, limits));
    case 'checkpoint':
      return `${countOf(cut.tokens, 'token')} as text inside the checkpoint`;
    case 'recent-messages':
      return `the newest ${countOf(cut.tokens, 'token')} of messages`;
    case 'last-share':
      return `the newest ${formatShortPercent(cut.share)} of the characters, from a prompt on`;
    case 'newest-exchanges':
      return `the newest steps and prompts of ${countOf(cut.count, 'message')}, results counted`;
    case 'newest-steps':
      return `the newest steps of ${countOf(cut.tokens, 'token')}, and all from the newest prompt on`;
    case 'pending':
      return 'the newest step while its results wait, and unanswered prompts; nothing after a refusal';
    case 'unanswered':
      return 'unanswered prompts';
    case 'user-messages':
      return cut.tokens === undefined
        ? 'all user messages'
        : `user messages, up to ${countOf(cut.tokens, 'token')}`;
    case 'ends':
      return renderEnds(cut);
  }
}

function renderEnds({ first, newest, unit, furtherShare }: KeepEnds): string {
  const word = UNIT_WORDS[unit];
  const head = first === 0 ? '' : `the first ${countOf(first, word)} and `;
  const amounts = newest.map((amount) => renderAmount(amount, word));
  const most = amounts.length === 1 ? amounts.join() : `${amounts.join(' or ')}, whichever is more`;
  const further =
    furtherShare &&
    `; then fewer, ${formatShortPercent(furtherShare.step)} at a time, while they are above ${formatShortPercent(furtherShare.untilWindowShare)} of the window`;
  return `${head}the newest ${most}${further ?? ''}`;
}

function renderAmount(amount: KeptAmount, word: string): string {
  if ('count' in amount) return countOf(amount.count, UNIT_WORDS[amount.of]);
  const share = formatShortPercent(amount.share);
  return amount.of === 'all' ? `${share} of ${word}s` : `${share} of the ${SHARED[amount.of]}`;
}

/** Newest turns within a budget; of no tokens none fits. */
function renderTurns(turns: number | undefined, budgetTokens: number | undefined): string {
  const most = budgetTokens === 0 ? 0 : turns;
  const kept = most === undefined ? 'the newest turns' : renderNewest(most, 'turn');
  if (budgetTokens === undefined || kept === NOTHING) return kept;
  return `${kept}, at most ${countOf(budgetTokens, 'token')}`;
}

/** Why summaries failed under each policy, over all of its runs; nothing of a policy whose summaries did not. */
function collectFailures(runs: readonly RunRecord[]): readonly PolicyFailures[] {
  const names = [...new Set(runs.map(({ policy }) => policy))];
  return names.flatMap((policy) => {
    const own = runs.filter((run) => run.policy === policy);
    const reasons = sumReasons(own.flatMap(({ summaryFailures = [] }) => summaryFailures));
    return reasons.length === 0 ? [] : [{ policy, reasons }];
  });
}

function totalPolicy(policy: string, all: readonly RunRecord[]): PolicyTotal {
  const runs = all.filter((run) => run.policy === policy);
  const completed = runs.filter((run) => countsAs(run) === 'completed');
  return {
    policy,
    runs: runs.length,
    completedRuns: completed.length,
    metrics: combine(completed.map((run) => run.metrics)),
  };
}

function inSessions(sessions: number, words: string): readonly string[] {
  return sessions === 0 ? [] : [`${words} (${countOf(sessions, 'session')})`];
}
