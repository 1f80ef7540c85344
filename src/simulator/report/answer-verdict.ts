/** The changes that were tried, as an answer tells of them. */

import { groupBy } from '../lib/collections.ts';
import { listed } from '../lib/text.ts';
import { SAME_COST } from '../metrics/statistics/verdict.ts';
import { FEW_CLUSTERS } from '../metrics/statistics/mean-difference.ts';
import { agentTitleOf } from './agent-keys.ts';
import type { Answer, AnswerState, AnswerVerdict } from './answer-schema.ts';
import { type Block, type Text, untrusted } from './document.ts';
import { countOf, formatCount, formatSignedPercent, UNKNOWN } from './numbers.ts';

export const MINUS = '−';

/** Changes that one screen shows. */
const MOST_SHOWN = 12;
/** Changes without effect that are named. */
const MOST_IDLE = 5;
const THOUSAND = 1_000;
const CENTS_BELOW_USD = 100;
/** Below it a share is shown with its tenths. */
const SMALL_SHARE = 0.1;

/** The answer in up to four sentences: what to do, what it saves, what it loses, how sure that is. */
export function concludeLines({ verdict, leftOut }: Answer): readonly Text[] {
  const [first] = verdict;
  if (first === undefined) {
    return [
      leftOut.unfit.sessions > 0
        ? 'No change is advised.'
        : 'No change could be tried: no session is of an agent with a preset and names its model.',
    ];
  }
  const best = adviceOf(verdict);
  if (first.state === 'not enough data') return notEnough(first, best, verdict);
  if (best === undefined) return ['No change that was tried is better than what these agents do.'];
  return [
    ...(best.state === 'try it' ? tryIt(best) : choice(best)),
    ...largerSaving(best, verdict),
  ];
}

/** The change at the top as the agent reads it. */
export function adviceLines({ verdict }: Answer): readonly Text[] {
  const best = adviceOf(verdict);
  if (best === undefined) return [];
  const known = agentTitleOf(best.policy);
  const title = known ?? best.agent;
  if (best.keys.length === 0) {
    const lead = known === undefined ? `No key of ${title} is known` : `${title} reads no key`;
    return [`${lead} for this: ${lowered(best.change)}.`];
  }
  return best.keys.map(({ text, where, models, others }) => {
    const line = text.replaceAll(/\s*\n\s*/g, ' ');
    const place = lowered(where).replace(':', '');
    const of = untrusted(listed(models.map(withoutProvider), 'and'));
    const too: Text =
      others.length === 0
        ? ''
        : ['; it holds for ', untrusted(listed(others.map(withoutProvider), 'and')), ', too'];
    return [`${title}: `, untrusted(line), ` (${place}; for `, of, too, ')'].flat();
  });
}

/** The changes in a table, the best supported first; those without effect come to a line or two. */
export function changesBlocks({ verdict }: Answer): readonly Block[] {
  const hasAgents = new Set(verdict.map(({ agent }) => agent)).size > 1;
  const named = (one: AnswerVerdict) => (hasAgents ? `${one.agent}: ${one.change}` : one.change);
  const effective = verdict.filter(({ state }) => state !== 'no effect');
  const others = verdict.filter(({ state }) => state === 'no effect');
  const unread = groupBy(
    others.filter(({ isRead }) => !isRead),
    ({ agent, setting }) => JSON.stringify([agent, setting]),
  );
  const shown = new Set(effective.map(named));
  const idle = [...new Set(others.filter(({ isRead }) => isRead).map(named))].filter(
    (name) => !shown.has(name),
  );
  const hidden = effective.length - MOST_SHOWN;
  return [
    {
      type: 'table',
      columns: [
        { title: hasAgents ? 'Agent and change' : 'Change' },
        { title: 'Cost' },
        { title: 'Share', holds: 'words' },
        { title: 'Losses' },
        { title: 'Verdict', holds: 'words' },
      ],
      rows: [
        ...effective.slice(0, MOST_SHOWN).map((one) => toRow(one, named(one))),
        ...[...unread.values()].map((some) => toUnreadRow(some, named)),
      ],
    },
    {
      type: 'lines',
      lines: [
        idle.length > 0 ? `No effect, for no run came out different: ${describeIdle(idle)}.` : '',
        hidden > 0 ? `${countOf(hidden, 'further change')}: --format json.` : '',
      ],
      isWrapped: true,
    },
  ];
}

/** Dollars with cents below a hundred. */
export function money(usd: number | null): string {
  if (usd === null) return UNKNOWN;
  const decimals = Math.abs(usd) < CENTS_BELOW_USD ? 2 : 0;
  const [whole = '', ...cents] = Math.abs(usd).toFixed(decimals).split('.');
  return `$${[formatCount(Number(whole)), ...cents].join('.')}`;
}

/** Tokens of a setting, whole thousands by their number: `20k`. */
export function showTokens(tokens: number): string {
  return tokens % THOUSAND === 0 && tokens > 0 ? `${tokens / THOUSAND}k` : formatCount(tokens);
}

/** The change to speak of first: what is shown, or else the likeliest of those that save. */
function adviceOf(verdict: readonly AnswerVerdict[]): AnswerVerdict | undefined {
  const [first] = verdict;
  if (first?.state === 'try it' || first?.state === 'a choice') return first;
  return verdict.find((one) => one.state === 'not enough data' && isSaving(one));
}

/** Tests if so much is saved that it matters. */
function isSaving({ spent: { from, to } }: AnswerVerdict): boolean {
  return to < from * (SAME_COST.region?.low ?? 1);
}

function tryIt(best: AnswerVerdict): readonly Text[] {
  const { losses } = best;
  const sure = losses.to > losses.from ? ', which may be chance' : '';
  return [
    `Try this in ${best.agent}: ${lowered(best.change)}. It ${describeSaving(best)}; ${describeLosses(losses)}${sure}.`,
  ];
}

function choice(best: AnswerVerdict): readonly Text[] {
  return [
    `A choice in ${best.agent}: ${lowered(best.change)} ${describeSaving(best)}, but surely more is lost for good: ${describeLosses(best.losses)}.`,
  ];
}

function notEnough(
  first: AnswerVerdict,
  best: AnswerVerdict | undefined,
  verdict: readonly AnswerVerdict[],
): readonly Text[] {
  const { changedSessions, sessions, sessionsNeeded: needed } = best ?? first;
  const differing = `${formatCount(changedSessions)} of ${countOf(sessions, 'session')} came out different`;
  const few = changedSessions < FEW_CLUSTERS ? `, ${FEW_CLUSTERS} have to` : '';
  const enough =
    needed === null
      ? '; too few to say how many would do'
      : `; about ${countOf(needed, 'session')} would do`;
  const lead = `Not enough data to say that anything is better: ${differing}${few}${enough}.`;
  if (best === undefined) return [lead, 'No change that was tried saved money that matters here.'];
  return [
    lead,
    `Most promising in ${best.agent}: ${lowered(best.change)} ${describeSaving(best)}; ${describeLosses(best.losses)}.`,
    ...largerSaving(best, verdict),
  ];
}

/** A change that saves more than the first one, and loses more. */
function largerSaving(best: AnswerVerdict, verdict: readonly AnswerVerdict[]): readonly Text[] {
  const states: readonly AnswerState[] =
    best.state === 'not enough data' ? ['not enough data'] : ['try it', 'a choice'];
  const [larger] = verdict
    .filter(
      ({ state, agent, unit }) =>
        agent === best.agent && unit === best.unit && states.includes(state),
    )
    .filter((one) => savedBy(one) > savedBy(best) && one.losses.to > best.losses.to)
    .toSorted((one, other) => savedBy(other) - savedBy(one));
  if (larger === undefined) return [];
  return [
    `${larger.change} saves more, ${amount(savedBy(larger), larger)}, and loses more: ${formatCount(larger.losses.from)} → ${formatCount(larger.losses.to)}.`,
  ];
}

function savedBy({ spent: { from, to } }: AnswerVerdict): number {
  return from - to;
}

function withoutProvider(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function describeSaving(verdict: AnswerVerdict): string {
  const { spent } = verdict;
  const { from, to } = spent;
  const verb = to <= from ? 'saves' : 'costs';
  const more = to <= from ? '' : ' more';
  return `${verb} ${amount(Math.abs(to - from), verdict)}${more} of ${amount(from, verdict)}, ${describeShare(spent)}`;
}

function describeLosses({ from, to }: AnswerVerdict['losses']): string {
  if (from === to) return `losses stay at ${formatCount(from)}`;
  return `losses ${formatCount(from)} → ${formatCount(to)}`;
}

function toRow(one: AnswerVerdict, name: string): readonly Text[] {
  const { spent, losses, state, failed } = one;
  const verdict = state === 'a choice' ? 'saves, but loses more for good' : state;
  return [
    name,
    spent.from === 0 ? UNKNOWN : signedAmount(spent.to - spent.from, one),
    describeShare(spent),
    `${formatCount(losses.from)} → ${formatCount(losses.to)}`,
    failed > 0 ? `worse: fails in ${formatCount(failed)}` : verdict,
  ];
}

function describeIdle(names: readonly string[]): string {
  const others = names.length - MOST_IDLE;
  const more = others > 0 ? [`${formatCount(others)} more`] : [];
  return [...names.slice(0, MOST_IDLE), ...more].join('; ');
}

/** One row for a setting that nothing reads, whatever its values are. */
function toUnreadRow(
  some: readonly AnswerVerdict[],
  named: (one: AnswerVerdict) => string,
): readonly Text[] {
  const [first] = some;
  if (first === undefined) return [];
  const others = some.slice(1).map(({ value }) => ` or ${showTokens(Number(value))}`);
  return [`${named(first)}${others.join('')}`, '$0', 'nothing reads it', UNKNOWN, first.state];
}

/** The change of a cost in percent, with its interval. */
function describeShare({ from, to, low, high }: AnswerVerdict['spent']): string {
  if (from === 0) return UNKNOWN;
  const share = (cost: number) => {
    const change = cost / from - 1;
    const decimals = Math.abs(change) < SMALL_SHARE ? 1 : 0;
    return formatSignedPercent(change, decimals).replace('-', MINUS);
  };
  if (low === null || high === null) return share(to);
  return `${share(to)} (${share(low).replace(' %', '')} … ${share(high)})`;
}

function signedAmount(value: number, verdict: Pick<AnswerVerdict, 'unit'>): string {
  const shown = amount(Math.abs(value), verdict);
  if (!/[1-9]/.test(shown)) return shown;
  return `${value < 0 ? MINUS : '+'}${shown}`;
}

/** Dollars, or tokens of models without a price. */
function amount(value: number, { unit }: Pick<AnswerVerdict, 'unit'>): string {
  return unit === 'usd' ? money(value) : `${formatCount(Math.round(value))} tokens`;
}
