/** Changes of settings as the bare command and `tune` tell them: one block of a few lines. */

import { CONFIDENCE } from '../metrics/statistics/interval.ts';
import { MOST_NEEDED } from '../metrics/statistics/judge-arms.ts';
import { SAME_COST } from '../metrics/statistics/verdict.ts';
import type { SettingValue } from '../scenario/settings.ts';
import { agentTitleOf, type ConfigChange } from './agent-keys.ts';
import { type Block, type Piece, type Text, textOf, untrusted } from './document.ts';
import {
  countOf,
  formatChange,
  formatCount,
  formatPercent,
  formatShortPercent,
  formatUsd,
  joinEnds,
  shownUsd,
} from './numbers.ts';
import { widthOf } from './layout.ts';
import { bySupport, isWorthTrying, savedBy, spentOf, type TriedChange } from './verdict.ts';

export interface NamedChange extends TriedChange {
  /** As in `compact at 70 % of the window (now 84 %)`. */
  readonly change: Text;
  /** Among others, as in `70 %`. */
  readonly short: Text;
}

export interface ChangeAdvice {
  /** The change to speak of, and the others. */
  readonly best: NamedChange;
  readonly others: readonly NamedChange[];
  readonly todo: readonly Text[];
  readonly judged: number;
  /** Absent where there is one only. */
  readonly agent?: string | undefined;
  /** Other amounts asked for, today and under the change. */
  readonly goals?: readonly string[] | undefined;
  /** The first of these is something else than cost. */
  readonly isOtherGoal?: boolean | undefined;
  /** Better in one thing and worse in another. */
  readonly isTrade?: boolean | undefined;
}

const EDGES: Readonly<
  Record<string, Record<'short' | 'today', (value: number) => string> & { readonly of: string }>
> = {
  triggerFraction: { short: formatShortPercent, today: formatPercent, of: 'of the window' },
  triggerTokens: { short: formatCount, today: formatCount, of: 'tokens' },
};

const OTHERS_WIDTH = 92;
const BETWEEN = '     ';

/** A new value in words, with today's, of which several models may have several. */
export function describeSetting(
  name: string,
  to: SettingValue,
  today: readonly SettingValue[],
): Pick<NamedChange, 'change' | 'short'> {
  if (typeof to === 'boolean') {
    const change = [untrusted(name), to ? ' on' : ' off'];
    return { change, short: change };
  }
  const edge = EDGES[name];
  const values = today
    .toSorted((a, b) => Number(a) - Number(b))
    .map((value) => edge?.today(Number(value)) ?? String(value));
  const ends = [...new Set([...values.slice(0, 1), ...values.slice(-1)])].join(' to ');
  const now = ends === '' ? '' : ` (now ${ends})`;
  if (edge === undefined) {
    const short = untrusted(`${name}=${to}`);
    return { change: [short, now], short };
  }
  const short = edge.short(Number(to));
  return { change: `compact at ${short} ${edge.of}${now}`, short };
}

/** Texts to write, one a line; what the agent reads no key for is given to this program. */
export function todoLines(policy: string, { written, set }: ConfigChange): readonly Text[] {
  const lines = written.map(({ where, text }): Text => {
    const line = text.replaceAll(/\s*\n\s*/g, ' ');
    return where === 'Environment:' ? untrusted(`export ${line}`) : [`${where} `, untrusted(line)];
  });
  if (set.length === 0) return lines;
  const agent = agentTitleOf(policy) ?? untrusted(policy);
  const own = set.map((pair) => `--set ${pair}`).join(' ');
  return [...lines, [agent, ' reads no key for it; in this program: ', untrusted(own)].flat()];
}

export function changeBlock(advice: ChangeAdvice): Extract<Block, { readonly type: 'facts' }> {
  const { best, judged, todo, goals = [], isOtherGoal } = advice;
  return {
    type: 'facts',
    title: headlineOf(advice),
    rows: [
      [spentOf(best).isTokens ? 'tokens' : 'cost', costOf(best)],
      ['losses', lossesOf(best)],
      ...goals.map((goal) => ['goal', goal] as const),
      ['sure?', sureOf(best, judged)],
      ...(isWorthTrying(best, isOtherGoal) ? todo : []).map((line) => ['do', line] as const),
    ],
  };
}

export function changeLines(advice: ChangeAdvice): readonly Text[] {
  const { title = '', rows } = changeBlock(advice);
  const lines = rows.map(([label, fact]): Text => [`${label}: `, ...[fact].flat()]);
  return [[...[title].flat(), '.'], ...lines];
}

/** Other changes in a few rows, those that cost more and lose less for good first. */
export function othersRows({ others, agent }: ChangeAdvice, mostRows: number) {
  const shown = others
    .filter(({ state }) => state !== 'no effect' && state !== 'does nothing')
    .toSorted((a, b) => Number(isDearKeeper(b)) - Number(isDearKeeper(a)) || bySupport(a, b))
    .map((change): readonly Piece[] => {
      const { short, losses, lostForGood, failedSessions } = change;
      if (failedSessions) return [...[short].flat(), `  fails in ${formatCount(failedSessions)}`];
      const spent = spentOf(change);
      const isKeeper = isDearKeeper(change) && lostForGood !== undefined;
      const forGood = isKeeper ? ` (for good ${showCounts(lostForGood)})` : '';
      const about = losses.areExpected ? '≈ ' : '';
      const lost = `${about}${formatCount(losses.from)} → ${formatCount(losses.to)}${forGood}`;
      return [...[short].flat(), `  ${showSpent(spent.to, spent)}  ${lost}`];
    });
  const lines: Piece[][] = [];
  let room = 0;
  for (const entry of shown) {
    const width = widthOf(textOf(entry)) + BETWEEN.length;
    if (width <= room) lines.at(-1)?.push(BETWEEN, ...entry);
    else lines.push([...entry]);
    room = (width <= room ? room : OTHERS_WIDTH) - width;
  }
  const lead = agent === undefined ? [] : [`${agent}: `];
  return lines
    .slice(0, mostRows)
    .map((line, index) => [index === 0 ? 'Also tried' : '', [...lead, ...line]] as const);
}

export function showSpent(value: number | null, { isTokens }: { readonly isTokens: boolean }) {
  return isTokens ? formatCount(value === null ? null : Math.round(value)) : formatUsd(value);
}

function isDearKeeper(change: TriedChange) {
  const { lostForGood } = change;
  return savedBy(change) < 0 && lostForGood !== undefined && lostForGood.to < lostForGood.from;
}

function headlineOf({ best, others, agent, isOtherGoal, isTrade }: ChangeAdvice) {
  const { state, losesMore, change } = best;
  const told = (start: string, end: Text = ''): Text => {
    const lead = `${agent}: ${start.charAt(0).toLowerCase()}${start.slice(1)}`;
    return [agent === undefined ? start : lead, ...[end].flat()];
  };
  if (isWorthTrying(best, isOtherGoal)) {
    if (state === 'not enough data') return told('Worth trying: ', change);
    if (losesMore) return told('A choice, for it saves and loses more for good: ', change);
    return told(isTrade ? 'A choice, better on one side only: ' : 'Better: ', change);
  }
  if (state === 'no effect')
    return told("Keep today's settings: no change that was tried has an effect in these sessions");
  const isCheaper = [best, ...others].some((one) => one.state !== 'fails' && savedBy(one) > 0);
  const why = isCheaper
    ? `nothing that was tried saves ${formatPercent(1 - (SAME_COST.region?.low ?? 1))} or more`
    : 'nothing that was tried costs less';
  return told(`Keep today's settings: ${why}; nearest: `, change);
}

function costOf(change: NamedChange) {
  const { sessions, differing, idleSessions, failedSessions, losses, withoutRereads } = change;
  const spent = spentOf(change);
  const { from, to, isTokens } = spent;
  const shown = isTokens ? Math.round : shownUsd;
  const share =
    from === null || to === null || shown(from) === 0
      ? ''
      : ` (${formatChange(shown(to) / shown(from) - 1)})`;
  const amounts =
    from === null || to === null
      ? 'unknown'
      : `${showSpent(from, spent)} → ${showSpent(to, spent)}${share}`;
  const where = withoutRereads === sessions ? '' : ` in ${formatCount(withoutRereads ?? 0)}`;
  const reread =
    withoutRereads === undefined ? ', re-reads included' : `, price of re-reads unknown${where}`;
  const isRest = sessions - differing === idleSessions;
  const all = countOf(isRest ? differing : sessions, 'session');
  const differ = `${isRest ? '' : `${formatCount(differing)} of `}${all} ${differing === 1 ? 'differs' : 'differ'}`;
  const get = idleSessions === 1 ? 'gets' : 'get';
  const never = idleSessions === 0 ? '' : `, ${formatCount(idleSessions)} never ${get} there`;
  const fails = failedSessions === undefined ? '' : `; it fails in ${formatCount(failedSessions)}`;
  return `${amounts}${losses.from || losses.to ? reread : ''}; ${differ}${never}${fails}`;
}

function lossesOf({ losses: { from, to, areExpected }, lostForGood }: TriedChange) {
  if (from === null || to === null) return 'unknown';
  if (from === 0 && to === 0) return 'none, as today';
  const change = `${showCounts({ from, to })}${areExpected ? ' expected' : ''}`;
  if (lostForGood === undefined) return change;
  if (lostForGood.from === 0 && lostForGood.to === 0)
    return `${change}, to be read again; none for good`;
  const hasOthers = from > lostForGood.from || to > lostForGood.to;
  return `${change}; for good ${showCounts(lostForGood)}${hasOthers ? ', the others to be read again' : ''}`;
}

function showCounts({ from, to }: TriedChange['losses']) {
  return from === to ? `${formatCount(to)} as today` : `${formatCount(from)} → ${formatCount(to)}`;
}

function sureOf(change: TriedChange, judged: number) {
  const { state, sessionsNeeded: needed, failedSessions = 0, sessions, families } = change;
  const { from, low, high } = spentOf(change);
  const among = judged > 1 ? `, judged among ${countOf(judged, 'change')}` : '';
  const ends =
    !from || low === null || high === null
      ? ''
      : `${joinEnds(formatChange(low / from - 1), formatChange(high / from - 1))} (${formatPercent(CONFIDENCE)})${among}`;
  switch (state) {
    case 'not enough data': {
      if (needed === undefined)
        return 'not yet: too few differ to say how many sessions would decide';
      const ones = families < sessions ? 'unrelated sessions' : 'sessions';
      const count = needed > MOST_NEEDED ? 'more than 1,000' : `about ${formatCount(needed)}`;
      return `not yet: ${count} ${ones} like these would decide, in four of five cases`;
    }
    case 'fails':
      return `yes: it fails in ${formatCount(failedSessions)} of ${countOf(sessions + failedSessions, 'session')}`;
    case 'no effect':
      return 'no session differs; others may';
    case 'does nothing':
      return 'yes: it does nothing on sessions like these';
    case 'no difference that matters':
      return `yes: ${ends} is no difference that matters`;
    default:
      return ends === '' ? 'yes' : `yes: ${ends}`;
  }
}
