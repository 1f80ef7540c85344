/** The costs and losses of arms, as two tables: the arms in the order that was asked for, then sessions by money. */

import { groupBy, sum } from '../lib/collections.ts';
import { type Block, moreOf, type TableBlock, type Text, textOf, untrusted } from './document.ts';
import { armPlot, type ArmRow, toArmRows } from './arm-rows.ts';
import { countOf, formatCount, formatUsd, UNKNOWN } from './numbers.ts';
import type { Terminal } from './report.ts';
import { type NamedStory, nameSessions } from './session-names.ts';
import type { Arm, ArmRun } from './arms.ts';
import { type Conclusion, bySupport } from './verdict.ts';

/** How arms are called: titles of the columns that name them, and the names of each. */
interface ArmNames {
  readonly titles: readonly Text[];
  readonly names: readonly (readonly Text[])[];
}

/** How sessions are called, and how many are listed. */
interface SessionOptions extends Pick<Terminal, 'top' | 'details'> {
  readonly stories?: readonly NamedStory[] | undefined;
  /** The contexts of sessions over their steps, for small drawings. */
  readonly contexts?: ReadonlyMap<string, readonly number[]>;
}

/** A session under each arm, in their order. */
interface SessionCosts {
  readonly session: string;
  readonly runs: readonly (readonly ArmRun[])[];
  /** Of the arm that it costs most under; 0 where no cost is known. */
  readonly mostUsd: number;
}

/** Sessions that are listed where nobody says how many. */
const MOST_SESSIONS = 10;
/** Arms that even a full screen shows. */
const LEAST_ARMS = 3;

/** Numbers of arms, the most telling first; one that is the same under all arms is told below the table. */
const ARM_COLUMNS = [
  { title: 'Cost', rank: 0, of: costOf },
  { title: 'Tokens', rank: 0, of: ({ tokens }: ArmRow) => formatCount(tokens ?? null) },
  { title: 'Losses', rank: 0, of: ({ losses }: ArmRow) => formatCount(losses) },
  { title: 'Compactions', rank: 1, of: ({ compactions }: ArmRow) => formatCount(compactions) },
  {
    title: 'Verdict',
    rank: 0,
    holds: 'words' as const,
    of: ({ says }: ArmRow) => says,
  },
];

/** The arms over the sessions that all of them completed. */
export function armBlocks(
  arms: readonly Arm[],
  conclusion: Conclusion,
  { titles, names }: ArmNames = {
    titles: ['Policy'],
    names: arms.map(({ name }) => [untrusted(name)]),
  },
): readonly Block[] {
  const { over, rows } = toArmRows(arms, conclusion);
  const spent = rows.some(({ tokens }) => tokens !== undefined) ? 'Tokens' : 'Cost';
  const columns = ARM_COLUMNS.filter(
    ({ title }) => title === spent || (title !== 'Cost' && title !== 'Tokens'),
  ).map(({ of, ...column }) => ({ ...column, cells: rows.map(of) }));
  const same = columns.filter(({ title, cells }) => title !== spent && areSame(cells));
  const shown = columns.filter((column) => !same.includes(column));
  const lines = rows.map((_, index) => [
    ...(names[index] ?? []),
    ...shown.map(({ cells }) => cells[index] ?? ''),
  ]);
  const telling = mostTelling(arms, conclusion);
  const shorten = (room: number) => {
    const listed = Math.max(room, LEAST_ARMS);
    if (listed >= lines.length) return lines;
    const picked = new Set(telling.slice(0, listed));
    return [...lines.filter((_, index) => picked.has(index)), [moreOf(lines.length - listed)]];
  };
  const plot = armPlot(rows.map((row, index) => ({ ...row, name: nameOfRow(names[index], row) })));
  return [
    ...(plot === undefined ? [] : [{ type: 'plot' as const, plot }]),
    {
      type: 'table',
      lead: `${over}:`,
      columns: [
        ...titles.map((title) => ({ title, holds: 'names' as const })),
        ...shown.map(({ cells: _cells, ...column }) => column),
      ],
      rows: lines,
      shorten,
      ...noteOf(same),
    },
  ];
}

/** Sessions with their cost under each arm, the most expensive first; the rest is one row. */
export function sessionBlocks(
  arms: readonly Arm[],
  { stories, top, details = false, contexts }: SessionOptions,
): readonly Block[] {
  const sessions = findSessions(arms);
  const names = nameSessions(
    sessions.map(({ session }) => session),
    stories,
  );
  const rowsOf = (listed: number, where = '') => [
    ...sessions
      .slice(0, listed)
      .map(({ session, runs }) => [
        untrusted(names.get(session) ?? session),
        ...runs.map(showRuns),
      ]),
    ...(sessions.length > listed ? [restRow(sessions.slice(listed), where)] : []),
  ];
  return [
    {
      type: 'table',
      columns: [
        { title: 'Session' },
        ...arms.map(({ name }, rank) => ({ title: untrusted(name), rank })),
      ],
      rows: rowsOf(top ?? (details ? sessions.length : MOST_SESSIONS)),
      about: sessions.map(({ session }) => session),
      ...(contexts && { sparks: sessions.map(({ session }) => contexts.get(session) ?? []) }),
      // The sums of one session are that session.
      ...(sessions.length === 1 && top === undefined && { isDetail: true }),
      ...(top === undefined && {
        shorten: (listed: number) =>
          listed === 0 ? [] : rowsOf(Math.min(listed, MOST_SESSIONS), ': --details'),
      }),
    },
    { type: 'lines', lines: copyLines(arms), isWrapped: true, isDetail: true },
  ];
}

/** Runs that stand for no session of their own. */
export function isCopy({ state, reason = '' }: Pick<ArmRun, 'state' | 'reason'>): boolean {
  return state === 'skipped' && isCopyReason(reason);
}

/** Checks whether a session was left out because another one has all of it. */
export function isCopyReason(reason: string): boolean {
  return / copy of /.test(reason);
}

/** A line about copies, if there are any. */
export function describeCopies(copies: number): readonly string[] {
  if (copies === 0) return [];
  const are = copies === 1 ? 'is a copy of another one, and is' : 'are copies of others, and are';
  return [`${countOf(copies, 'session')} ${are} not run.`];
}

/** The words by which a table names an arm, as one name. */
function nameOfRow(names: readonly Text[] = [], { name }: ArmRow): string {
  return names.length === 0 ? name : names.map(textOf).join(' · ');
}

/** The indices of arms, the baseline first, then as verdicts are told. */
function mostTelling(arms: readonly Arm[], { baseline, verdict }: Conclusion): readonly number[] {
  const told = new Map(verdict.toSorted(bySupport).map(({ change }, place) => [change, place]));
  const placeOf = (index: number) => {
    const name = arms[index]?.name ?? '';
    return name === baseline?.name ? -1 : (told.get(name) ?? verdict.length);
  };
  return [...arms.keys()].toSorted((a, b) => placeOf(a) - placeOf(b));
}

function costOf({ costUsd, isLeast }: ArmRow): string {
  return atLeast(costUsd, isLeast === true);
}

function atLeast(costUsd: number | null, isLeast: boolean): string {
  return `${isLeast && costUsd !== null ? '≥ ' : ''}${formatUsd(costUsd)}`;
}

function areSame(cells: readonly string[]): boolean {
  return cells.every((cell) => cell === '' || (cells.length > 1 && cell === cells[0]));
}

function noteOf(
  same: readonly { readonly title: string; readonly cells: readonly string[] }[],
): Pick<TableBlock, 'note'> {
  const told = same.flatMap(({ title, cells: [cell = ''] }) =>
    cell === '' || cell === UNKNOWN ? [] : [`${title} ${cell}`],
  );
  return told.length === 0 ? {} : { note: `The same everywhere: ${told.join(', ')}.` };
}

/** The sessions that any arm was run on, the most expensive first. */
function findSessions(arms: readonly Arm[]): readonly SessionCosts[] {
  const byArm = arms.map(({ runs }) => groupBy(runs, ({ session }) => session));
  const names = new Set(byArm.flatMap((sessions) => [...sessions.keys()]));
  return [...names]
    .map((session) => {
      const runs = byArm.map((sessions) => sessions.get(session) ?? []);
      const costs = runs.map((some) => meanCost(some) ?? 0);
      return { session, runs, mostUsd: Math.max(...costs) };
    })
    .filter(({ runs }) => !runs.flat().every(({ state }) => state === 'skipped'))
    .toSorted((one, other) => other.mostUsd - one.mostUsd);
}

/** The cost over the trials of a session, or how they ended where they have none. */
function showRuns(runs: readonly ArmRun[]): string {
  const completed = runs.filter(({ state }) => state === 'completed');
  const [ended] = runs.filter(({ state }) => state !== 'completed');
  if (completed.length === 0) return ended?.state ?? UNKNOWN;
  return atLeast(
    meanCost(completed) ?? null,
    completed.some(({ isLeast }) => isLeast),
  );
}

function meanCost(runs: readonly ArmRun[]): number | undefined {
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? []);
  return costs.length === 0 || costs.length < runs.length ? undefined : sum(costs) / costs.length;
}

/** Sums of what is known under each arm. */
function restRow(rest: readonly SessionCosts[], where: string): readonly Text[] {
  const arms = rest[0]?.runs.length ?? 0;
  const sums = Array.from({ length: arms }, (_, arm) => {
    const own = rest.map(({ runs }) => runs[arm] ?? []);
    const known = own.filter((runs) => runs.every(({ state }) => state === 'completed'));
    const costs = known.flatMap((runs) => meanCost(runs) ?? []);
    const isLeast = costs.length < rest.length || known.flat().some((run) => run.isLeast);
    return costs.length === 0 ? UNKNOWN : atLeast(sum(costs), isLeast);
  });
  return [`${countOf(rest.length, 'other session')}${where}`, ...sums];
}

function copyLines(arms: readonly Arm[]): readonly string[] {
  const copies = new Set(
    arms.flatMap(({ runs }) => runs.filter(isCopy).map(({ session }) => session)),
  ).size;
  return describeCopies(copies);
}
