/** The costs and losses of arms: a chart, a table of arms, and one of sessions. */

import { groupBy, sum } from '../lib/collections.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Arm, type ArmRun, findCompared, totalOf } from './arms.ts';
import { type Block, moreOf, prose, type Text, textOf, untrusted } from './document.ts';
import type { Terminal } from './layout.ts';
import { countOf, formatCount, formatUsd, UNKNOWN } from './numbers.ts';
import type { Plot, PlotAxis } from './plots.ts';
import { type NamedStory, nameSessions } from './session-names.ts';
import { describeChange, describeFailures } from './verdict-lines.ts';
import { bySupport, type Conclusion } from './verdict.ts';

const MOST_SESSIONS = 10;
const LEAST_ARMS = 3;

/** The arms over the sessions that all of them completed; `titles` are of the columns that name them. */
export function armBlocks(
  arms: readonly Arm[],
  conclusion: Conclusion,
  {
    titles,
    names,
  }: { readonly titles: readonly Text[]; readonly names: readonly (readonly Text[])[] } = {
    titles: ['Policy'],
    names: arms.map(({ name }) => [untrusted(name)]),
  },
): readonly Block[] {
  const { over, rows } = toArmRows(arms, conclusion);
  const isPriced = rows.every(({ tokens }) => tokens === undefined);
  const countsOf = (key: 'tokens' | 'compactions') =>
    rows.map((row) => formatCount(row[key] ?? null));
  const spent = isPriced
    ? { title: 'Cost', cells: rows.map((row) => atLeast(row.costUsd, row.isLeast)) }
    : { title: 'Tokens', cells: countsOf('tokens') };
  // The most telling first; one that is the same under all arms is told below the table.
  const columns = [
    { title: 'Losses', rank: 0, cells: rows.map(lossesCell) },
    { title: 'Compactions', rank: 1, cells: countsOf('compactions') },
    { title: 'Verdict', rank: 0, holds: 'words' as const, cells: rows.map(({ says }) => says) },
  ];
  const same = columns.filter(({ cells }) =>
    cells.every((cell) => cell === '' || (cells.length > 1 && cell === cells[0])),
  );
  const shown = [{ ...spent, rank: 0 }, ...columns.filter((column) => !same.includes(column))];
  const told = same.flatMap(({ title, cells: [cell = ''] }) =>
    cell === '' || cell === UNKNOWN ? [] : [`${title} ${cell}`],
  );
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
  const plot = armPlot(
    rows.map((row, index) => ({ ...row, name: names[index]?.map(textOf).join(' · ') || row.name })),
  );
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
      ...(told.length > 0 && { note: `The same everywhere: ${told.join(', ')}.` }),
    },
  ];
}

/** Sessions with their cost under each arm, the most expensive first. */
export function sessionBlocks(
  arms: readonly Arm[],
  {
    stories,
    top,
    details = false,
  }: Pick<Terminal, 'top' | 'details'> & { readonly stories?: readonly NamedStory[] | undefined },
): readonly Block[] {
  const sessions = findSessions(arms);
  const about = sessions.map(({ session }) => session);
  const titled = nameSessions(sessions, stories);
  const rowsOf = (listed: number, where = '') => [
    ...sessions
      .slice(0, listed)
      .map(({ session, runs }) => [untrusted(titled(session)), ...runs.map(showRuns)]),
    ...(sessions.length > listed ? [restRow(sessions.slice(listed), where)] : []),
  ];
  const copies = arms.flatMap(({ runs }) => runs.filter(isCopy).map(({ session }) => session));
  return [
    {
      type: 'table',
      columns: [
        { title: 'Session' },
        ...arms.map(({ name }, rank) => ({ title: untrusted(name), rank })),
      ],
      rows: rowsOf(top ?? (details ? sessions.length : MOST_SESSIONS)),
      about,
      ...(sessions.length === 1 && top === undefined && { isDetail: true }),
      ...(top === undefined && {
        shorten: (listed: number) =>
          listed === 0 ? [] : rowsOf(Math.min(listed, MOST_SESSIONS), ': --details'),
      }),
    },
    prose(describeCopies(new Set(copies).size), { isDetail: true }),
  ];
}

export function lossAxes(isPriced: boolean): readonly PlotAxis[] {
  const spent = { label: 'Cost, re-reads included', unit: 'usd' } as const;
  return [
    isPriced ? spent : { label: 'Processed', unit: 'tokens' },
    { label: 'Losses', unit: 'count' },
  ];
}

export function isCopy({ state, reason = '' }: Pick<ArmRun, 'state' | 'reason'>) {
  return state === 'skipped' && isCopyReason(reason);
}

export function isCopyReason(reason: string) {
  return / copy of /.test(reason);
}

export function describeCopies(copies: number) {
  if (copies === 0) return [];
  const are = copies === 1 ? 'is a copy of another one, and is' : 'are copies of others, and are';
  return [`${countOf(copies, 'session')} ${are} not run.`];
}

/** The arms by the same sums as the verdict, and over which runs that is. */
export function toArmRows(arms: readonly Arm[], conclusion: Conclusion) {
  const { baseline, sessions, allSessions, withoutRereads } = conclusion;
  const keys = new Set(findCompared(arms, baseline?.name).keys);
  const isPriced = arms.some(({ runs }) => runs.some(({ costUsd }) => costUsd !== null));
  const rereads = isPriced && withoutRereads === undefined ? ', re-reads included' : '';
  const part = `${formatCount(sessions)} of ${countOf(allSessions, 'session')}, which the baseline completed`;
  const which = sessions === allSessions ? countOf(sessions, 'session') : part;
  const over =
    keys.size === 0 ? 'the runs that each completed, which are not those of the others' : which;
  const rows = arms.map(({ name, runs }) => {
    const counted = runs.filter(
      ({ key, state }) => state === 'completed' && (keys.size === 0 || keys.has(key)),
    );
    return {
      name,
      costUsd: totalOf(counted, ({ costUsd }) => costUsd),
      ...(!isPriced && { tokens: totalOf(counted, ({ tokens = null }) => tokens) }),
      losses: totalOf(counted, ({ losses }) => losses),
      areExpected: counted.some((run) => run.areExpected),
      compactions: totalOf(counted, ({ compactions }) => compactions),
      says: describeArm(name, conclusion),
      isLeast: counted.some((run) => run.isLeast),
      isImpossible: runs.some(({ state }) => state === 'impossible'),
      // Its sums cannot be held against others'.
      isNoPeer: keys.size === 0 || counted.length < keys.size,
    };
  });
  return { over: `Sums over ${over}${rereads}`, rows };
}

/** Cost against losses; `undefined` where there are no two arms. */
function armPlot(rows: ReturnType<typeof toArmRows>['rows']): Plot | undefined {
  const isPriced = rows.every(({ tokens }) => tokens === undefined);
  const named = rows.map((row) => ({
    ...row,
    name: row.name === RECORDED ? 'as recorded' : row.name,
    spent: isPriced ? row.costUsd : (row.tokens ?? null),
  }));
  const points = named.filter(({ spent, losses }) => spent !== null && losses !== null);
  if (rows.length < 2 || points.length === 0) return undefined;
  const missing = named.filter(({ spent }) => spent === null).map(({ name }) => name);
  return {
    kind: 'scatter',
    title: `${isPriced ? 'Cost' : 'Tokens'} against losses: better is down and to the left`,
    axes: lossAxes(isPriced),
    points: points.map(({ name, spent, losses, says, isNoPeer, isImpossible }) => ({
      name,
      values: [spent, losses],
      says: isNoPeer && !isImpossible ? `${says} (over fewer sessions)`.trim() : says,
      isHollow: isImpossible || isNoPeer,
    })),
    lines: named.flatMap(({ name, spent, losses }) =>
      losses === null && spent !== null ? [{ name, at: spent }] : [],
    ),
    note: [
      points.some((one) => one.isImpossible || one.isNoPeer) &&
        'Hollow: not completed everywhere, so nobody can choose it.',
      missing.length > 0 && `Not drawn, for it completed nothing: ${missing.join(', ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
  };
}

function describeArm(name: string, { baseline, verdict, idle }: Conclusion) {
  if (idle !== undefined) return '';
  if (baseline?.name === name) return verdict.length === 0 ? '' : 'what others are held against';
  const judged = verdict.find(
    (one) => one.change === name && one.baseline === (baseline?.name ?? ''),
  );
  if (judged === undefined) return '';
  const { state, costUsd, tokens = costUsd } = judged;
  const failures = describeFailures(judged);
  if (failures !== '')
    return costUsd.from === null ? failures : `against ${formatUsd(costUsd.from)}; ${failures}`;
  const more = judged.losesMore ? ', loses more for good' : '';
  return [describeChange(tokens), `${state}${more}`].filter((words) => words !== '').join(': ');
}

function mostTelling(arms: readonly Arm[], { baseline, verdict }: Conclusion) {
  const told = new Map(verdict.toSorted(bySupport).map(({ change }, place) => [change, place]));
  const places = arms.map(({ name }) =>
    name === baseline?.name ? -1 : (told.get(name) ?? verdict.length),
  );
  return [...arms.keys()].toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
}

function atLeast(costUsd: number | null, isLeast: boolean) {
  return `${isLeast && costUsd !== null ? '≥ ' : ''}${formatUsd(costUsd)}`;
}

function lossesCell({ losses, areExpected }: Pick<ArmRun, 'losses' | 'areExpected'>) {
  return `${areExpected ? '≈ ' : ''}${formatCount(losses)}`;
}

function findSessions(arms: readonly Arm[]) {
  const byArm = arms.map(({ runs }) => groupBy(runs, ({ session }) => session));
  const names = new Set(byArm.flatMap((sessions) => [...sessions.keys()]));
  return [...names]
    .map((session) => {
      const runs = byArm.map((sessions) => sessions.get(session) ?? []);
      return { session, runs, mostUsd: Math.max(...runs.map((some) => meanCost(some) ?? 0)) };
    })
    .filter(({ runs }) => !runs.flat().every(({ state }) => state === 'skipped'))
    .toSorted((one, other) => other.mostUsd - one.mostUsd);
}

function showRuns(runs: readonly ArmRun[]) {
  const completed = runs.filter(({ state }) => state === 'completed');
  if (completed.length === 0) return runs[0]?.state ?? UNKNOWN;
  const isLeast = completed.some((run) => run.isLeast);
  return atLeast(meanCost(completed) ?? null, isLeast);
}

function meanCost(runs: readonly ArmRun[]) {
  const total = totalOf(runs, ({ costUsd }) => costUsd);
  return total === null ? undefined : total / runs.length;
}

function restRow(rest: ReturnType<typeof findSessions>, where: string) {
  const arms = rest[0]?.runs ?? [];
  const sums = arms.map((_, arm) => {
    const own = rest.map(({ runs }) => runs[arm] ?? []);
    const known = own.filter((runs) => runs.every(({ state }) => state === 'completed'));
    const costs = known.flatMap((runs) => meanCost(runs) ?? []);
    const isLeast = costs.length < rest.length || known.flat().some((run) => run.isLeast);
    return costs.length === 0 ? UNKNOWN : atLeast(sum(costs), isLeast);
  });
  return [`${countOf(rest.length, 'other session')}${where}`, ...sums];
}
