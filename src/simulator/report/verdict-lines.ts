/** The conclusion of a report in one to five sentences: what to do, what it saves and loses, how sure that is. */

import { policies } from '../../engine/index.ts';
import { MOST_NEEDED } from '../metrics/statistics/judge-arms.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Block, type Text, textOf, type Untrusted, untrusted } from './document.ts';
import {
  countOf,
  describeFamilies,
  formatChange,
  formatCount,
  formatUsd,
  joinEnds,
  shownUsd,
} from './numbers.ts';
import { bySupport, pickBest, TOLD_FIRST } from './tried.ts';
import type { ArmVerdict, Conclusion, SpendTotals } from './verdict.ts';

/** A sentence in pieces, for names in it come from outside. */
type Sentence = Extract<Text, readonly unknown[]>;

const MAKES = {
  'no difference that matters': 'makes no difference that matters',
  'does nothing': 'does nothing on sessions like these',
} as const;

/** Other arms that have a sentence each. */
const MOST_NAMED = 2;

/** The verdict at the head of a report. */
export function verdictBlock(conclusion: Conclusion): Block {
  return { type: 'lines', lines: verdictLines(conclusion), isWrapped: true };
}

/** Where an arm did not complete: `breaks off in 14 of 21, first at step 57`; nothing of one that completed all. */
export function describeFailures(
  { failedSessions, failedAt, sessions }: ArmVerdict,
  unit?: 'session',
): string {
  if (failedSessions === undefined) return '';
  const all = sessions + failedSessions;
  const shown = unit === undefined ? formatCount(all) : countOf(all, unit);
  const count = `in ${formatCount(failedSessions)} of ${shown}`;
  if (failedAt === undefined) return `fails ${count}`;
  const first = failedSessions > 1 ? 'first ' : '';
  return `breaks off ${count}, ${first}at step ${formatCount(failedAt.step)}`;
}

/** The same as notes of a page. */
export function verdictNotes(conclusion: Conclusion): readonly string[] {
  return verdictLines(conclusion).map(textOf);
}

/** The change of a total in percent, as of the amounts that are shown, with the interval where there is one; nothing of a free one. */
export function describeChange({ from, to, low, high }: SpendTotals): string {
  const shownFrom = shownUsd(from ?? 0);
  if (shownFrom === 0 || to === null) return '';
  const share = (total: number) => formatChange(shownUsd(total) / shownFrom - 1);
  const ends = low === null || high === null ? '' : `, ${joinEnds(share(low), share(high))}`;
  return `${share(to)}${ends}`;
}

/** The conclusion in sentences of at most 25 words, apart from names; none where nothing was run. The arm that was asked about, if any, comes first. */
export function verdictLines(conclusion: Conclusion, asked?: string): readonly Text[] {
  const { verdict, idle, allSessions } = conclusion;
  if (allSessions === 0) return [];
  if (idle !== undefined) return idleLines(idle);
  const told = verdict.toSorted(bySupport);
  const completing = told.filter(({ state }) => state !== 'fails');
  const open = completing.filter(({ state }) => state !== 'worse');
  const first = told.find(({ change }) => change === asked) ?? pickBest(open) ?? completing[0];
  const main = first === undefined ? aloneLines(conclusion) : mainLines(first, conclusion);
  return [
    ...main,
    ...othersOf(told.filter((one) => one !== first)),
    ...partOf(conclusion),
    ...rereadsOf(conclusion),
  ];
}

function mainLines(first: ArmVerdict, conclusion: Conclusion): readonly Sentence[] {
  const failures = describeFailures(first, 'session');
  const lead = leadOf(first, conclusion);
  if (failures === '') return [...adviceOf(first, conclusion.verdict), ...lead, sureOf(first)];
  const end = first.sessions === 0 ? '.' : '; over the others:';
  return [
    capital([nameOf(first.change), ` ${failures}${end}`]),
    ...(first.sessions === 0 ? [] : lead),
  ];
}

/** Advice only where something was shown; never to stay with what failed itself. */
function adviceOf(
  { change, baseline, state, losesMore, baselineFailedSessions }: ArmVerdict,
  all: readonly ArmVerdict[],
): readonly Sentence[] {
  if (state === 'better' && losesMore) {
    return [capital([nameOf(change), ' is cheaper but loses more for good: weigh the two.'])];
  }
  if (state === 'better') return [['Use ', nameOf(change), '.']];
  if (all.every((one) => one.state === 'worse' || one.state === 'fails')) {
    return baselineFailedSessions === undefined ? [['Stay with ', nameOf(baseline), '.']] : [];
  }
  if (state === 'no difference that matters' && losesMore) {
    return [capital([nameOf(change), ' costs the same and loses more for good.'])];
  }
  if (state === 'no difference that matters' || state === 'does nothing') {
    return [capital([nameOf(change), ` ${MAKES[state]}.`])];
  }
  return [];
}

/** The amounts of both; of one without effect, that there is none. */
function leadOf(verdict: ArmVerdict, { withoutRereads }: Conclusion): readonly Sentence[] {
  const { change, baseline, state, costUsd, losses } = verdict;
  if (state === 'no effect')
    return [capital([nameOf(change), ' changes nothing in these sessions.'])];
  const { from, to, isFromLeast } = costUsd;
  if (from === null || to === null) return [withoutCosts(verdict)];
  const verb = baseline === RECORDED ? 'cost' : 'costs';
  const least = isFromLeast ? ' at least' : '';
  const share = describeChange(costUsd);
  const hasRereads =
    withoutRereads === undefined && ((losses.to ?? 0) > 0 || (losses.from ?? 0) > 0);
  const rereads = hasRereads ? ', re-reads included' : '';
  const costs = ` ${verb}${least} ${formatUsd(from)}${share === '' ? '' : ` (${share})`}${rereads}`;
  return [
    capital([
      nameOf(change),
      change === RECORDED ? ' cost' : ' costs',
      ` ${formatUsd(to)} where `,
      nameOf(baseline),
      `${costs}${lossesOf(verdict)}.`,
    ]),
  ];
}

function withoutCosts(verdict: ArmVerdict): Sentence {
  const { change, baseline, tokens } = verdict;
  if (tokens === undefined || tokens.from === null) {
    return capital([nameOf(change), ' cannot be compared: costs and tokens are unknown.']);
  }
  const share = describeChange(tokens);
  return capital([
    nameOf(change),
    ` processes ${formatCount(tokens.to)} tokens where `,
    nameOf(baseline),
    ` processes ${formatCount(tokens.from)}${share === '' ? '' : ` (${share})`}${lossesOf(verdict)}; costs are unknown.`,
  ]);
}

function lossesOf({ losses: { from, to }, lostForGood }: ArmVerdict): string {
  if (to === null) return '';
  const lost = `; it loses ${things(to)}${from === null ? '' : `, against ${formatCount(from)}`}`;
  if (!lostForGood?.to && !lostForGood?.from) return lost;
  return `${lost} (for good ${formatCount(lostForGood.to)}, against ${formatCount(lostForGood.from)})`;
}

function things(count: number): string {
  return count === 0 ? 'nothing' : countOf(count, 'thing');
}

/** The evidence that the verdict rests on; where it is open, with the number of sessions that would do. */
function sureOf(verdict: ArmVerdict): Sentence {
  const { state, costUsd, sessions, differing, sessionsNeeded } = verdict;
  const isOne = sessions === 1;
  const shown = isOne ? 'One session' : describeFamilies(verdict);
  const show = isOne ? 'shows' : 'show';
  if (state === 'no effect') return [`${shown} ${show} it; others may differ.`];
  if (state !== 'not enough data') return [`${shown} ${show} it.`];
  const count = `, of which ${formatCount(differing)} ${differing === 1 ? 'differs' : 'differ'},`;
  const differ = sessions === differing ? '' : count;
  const lack = `${shown}${differ} ${isOne ? 'is' : 'are'} not enough data`;
  if (sessionsNeeded === undefined) {
    const why = costUsd.isFromLeast
      ? 'the recording lacks some costs'
      : 'too few to say how many would be';
    return [`${lack}: ${why}.`];
  }
  return [`${lack}: ${neededBy(verdict)} would do.`];
}

/** How many sessions would decide. */
function neededBy({ sessionsNeeded = 0, families, sessions }: ArmVerdict): string {
  if (sessionsNeeded > MOST_NEEDED) return 'more than 1,000 sessions like these';
  return `about ${formatCount(sessionsNeeded)}${families < sessions ? ' unrelated ones' : ''}`;
}

function idleLines({
  largestTokens,
  edgeTokens,
}: NonNullable<Conclusion['idle']>): readonly Sentence[] {
  const largest = `the largest request ${edgeTokens === undefined ? 'holds ' : ''}${formatCount(largestTokens)}`;
  const edge = edgeTokens === undefined ? '' : `the edge is at ${formatCount(edgeTokens)} tokens, `;
  return [[`Nothing compacts when replayed, so there is nothing to compare: ${edge}${largest}.`]];
}

function aloneLines({ baseline, verdict, sessions }: Conclusion): readonly Sentence[] {
  if (baseline === undefined) return [['No session was completed, so nothing can be compared.']];
  const { name, costUsd, losses } = baseline;
  const lost = losses === null ? '' : `; it loses ${things(losses)}`;
  const cost = costUsd === null ? ' has no known price' : ` costs ${formatUsd(costUsd)}`;
  return [
    capital([nameOf(name), `${cost} over ${countOf(sessions, 'session')}${lost}.`]),
    ...(verdict.length === 0 ? [['Nothing is compared with it.']] : []),
  ];
}

function othersOf(others: readonly ArmVerdict[]): readonly Sentence[] {
  if (others.length === 0) return [];
  if (others.length <= MOST_NAMED) {
    return others.map((one) => {
      const failures = describeFailures(one, 'session');
      const needed = one.sessionsNeeded === undefined ? '' : `, ${neededBy(one)} would do`;
      const says = failures === '' ? `: ${one.state}${needed}.` : ` ${failures}.`;
      return capital([nameOf(one.change), says]);
    });
  }
  const counts = TOLD_FIRST.flatMap((state) => {
    const count = others.filter((one) => one.state === state).length;
    if (count === 0) return [];
    return [`${formatCount(count)} ${state === 'fails' ? 'broke off' : state}`];
  });
  return [[`Of the others: ${counts.join('; ')}.`]];
}

/** The sessions that the baseline completed, where those are not all. */
function partOf({ baseline, sessions, allSessions }: Conclusion): readonly Sentence[] {
  if (baseline === undefined || sessions === allSessions) return [];
  const { name, failedAtStep: step } = baseline;
  const first =
    step === undefined ? '' : `; it breaks off in others, first at step ${formatCount(step)}`;
  return [
    [
      `Totals are over ${formatCount(sessions)} of ${countOf(allSessions, 'session')}, which `,
      nameOf(name),
      ` completed${first}.`,
    ],
  ];
}

/** That something of the cost is unknown. */
function rereadsOf({ withoutRereads = 0 }: Conclusion): readonly Sentence[] {
  if (withoutRereads === 0) return [];
  return [
    [
      `In ${countOf(withoutRereads, 'session')} the price of reading again what was lost is unknown, and in no cost.`,
    ],
  ];
}

/** An arm as a sentence names it. */
function nameOf(name: string): string | Untrusted {
  if (name === RECORDED) return 'the run as recorded';
  if (name === ADAPTER_NAME) return 'the adapter';
  return name === policies.none.name ? 'never compacting' : untrusted(name);
}

/** A sentence begins with a capital where its first word is no name. */
function capital([first = '', ...rest]: Sentence): Sentence {
  const start = typeof first === 'string' ? first.charAt(0).toUpperCase() + first.slice(1) : first;
  return [start, ...rest];
}
