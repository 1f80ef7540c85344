import { policies } from '../../engine/index.ts';
import { MOST_NEEDED } from '../metrics/statistics/judge-arms.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Block, prose, type Text, untrusted } from './document.ts';
import {
  countOf,
  describeFamilies,
  formatChange,
  formatCount,
  formatUsd,
  joinEnds,
  shownUsd,
} from './numbers.ts';
import {
  type ArmVerdict,
  bySupport,
  type Conclusion,
  pickBest,
  type SpendTotals,
  TOLD_FIRST,
} from './verdict.ts';

type Sentence = Extract<Text, readonly unknown[]>;

const MOST_NAMED = 2;

export function verdictBlock(conclusion: Conclusion): Block {
  return prose(verdictLines(conclusion));
}

/** `breaks off in 14 of 21, first at step 57`; else nothing. */
export function describeFailures(
  { failedSessions = 0, failedAt, sessions }: ArmVerdict,
  unit?: 'session',
) {
  if (failedSessions === 0) return '';
  const all = sessions + failedSessions;
  const shown = unit === undefined ? formatCount(all) : countOf(all, unit);
  const count = `in ${formatCount(failedSessions)} of ${shown}`;
  if (failedAt === undefined) return `fails ${count}`;
  return `breaks off ${count}, ${failedSessions > 1 ? 'first ' : ''}at step ${formatCount(failedAt.step)}`;
}

/** In percent of the amounts that are shown; nothing of a free one. */
export function describeChange({ from, to, low, high }: SpendTotals) {
  const shownFrom = shownUsd(from ?? 0);
  if (shownFrom === 0 || to === null) return '';
  const share = (total: number) => formatChange(shownUsd(total) / shownFrom - 1);
  if (low === null || high === null) return share(to);
  return `${share(to)}, ${joinEnds(share(low), share(high))}`;
}

/** Begins with the arm that was asked about; none where nothing was run. */
export function verdictLines(conclusion: Conclusion, asked?: string): readonly Text[] {
  const { verdict, idle, allSessions, withoutRereads = 0 } = conclusion;
  if (allSessions === 0) return [];
  if (idle !== undefined) {
    const { largestTokens, edgeTokens } = idle;
    const largest = formatCount(largestTokens);
    const told =
      edgeTokens === undefined
        ? `the largest request holds ${largest}`
        : `the edge is at ${formatCount(edgeTokens)} tokens, the largest request ${largest}`;
    return [[`Nothing compacts when replayed, so there is nothing to compare: ${told}.`]];
  }
  const told = verdict.toSorted(bySupport);
  const completing = told.filter(({ state }) => state !== 'fails');
  const open = completing.filter(({ state }) => state !== 'worse');
  const first = told.find(({ change }) => change === asked) ?? pickBest(open) ?? completing[0];
  const lacking = `In ${countOf(withoutRereads, 'session')} the price of reading again what was lost is unknown, and in no cost.`;
  return [
    ...(first === undefined ? aloneLines(conclusion) : mainLines(first, conclusion)),
    ...othersLines(told.filter((one) => one !== first)),
    ...partLines(conclusion),
    ...(withoutRereads === 0 ? [] : [[lacking]]),
  ];
}

function aloneLines({ baseline, verdict, sessions }: Conclusion) {
  if (baseline === undefined) return [['No session was completed, so nothing can be compared.']];
  const { name, costUsd, losses, areLossesExpected, isIll = false } = baseline;
  const lost =
    losses === null || (isIll && losses === 0)
      ? ''
      : `; it loses ${things(losses, areLossesExpected)}`;
  const cost = costUsd === null ? 'has no known price' : `costs ${formatUsd(costUsd)}`;
  return [
    about(name, ` ${cost} over ${countOf(sessions, 'session')}${lost}.`),
    ...(verdict.length === 0 ? [['Nothing is compared with it.']] : []),
  ];
}

function mainLines(first: ArmVerdict, conclusion: Conclusion) {
  const failures = describeFailures(first, 'session');
  const lead = leadOf(first, conclusion.withoutRereads !== undefined);
  if (failures === '') return [...adviceOf(first, conclusion.verdict), lead, sureOf(first)];
  return first.sessions === 0
    ? [about(first.change, ` ${failures}.`)]
    : [about(first.change, ` ${failures}; over the others:`), lead];
}

/** Advice only where something was shown; never to stay with what failed itself. */
function adviceOf(first: ArmVerdict, all: readonly ArmVerdict[]) {
  const { change, baseline, state, losesMore, baselineFailedSessions } = first;
  if (state === 'better') {
    return losesMore
      ? [about(change, ' is cheaper but loses more for good: weigh the two.')]
      : [['Use ', nameOf(change), '.']];
  }
  if (all.every((one) => one.state === 'worse' || one.state === 'fails'))
    return baselineFailedSessions === undefined ? [['Stay with ', nameOf(baseline), '.']] : [];
  if (state === 'does nothing') return [about(change, doesNothing(first))];
  if (state !== 'no difference that matters') return [];
  return [
    about(
      change,
      losesMore ? ' costs the same and loses more for good.' : ' makes no difference that matters.',
    ),
  ];
}

function leadOf(verdict: ArmVerdict, lacksRereads: boolean) {
  const { change, baseline, state, costUsd, tokens, losses, lostForGood } = verdict;
  if (state === 'no effect') return about(change, doesNothing(verdict));
  const against = losses.from === null ? '' : `, against ${formatCount(losses.from)}`;
  const forGood =
    lostForGood?.to || lostForGood?.from
      ? ` (for good ${formatCount(lostForGood.to)}, against ${formatCount(lostForGood.from)})`
      : '';
  const lost =
    losses.to === null
      ? ''
      : `; it loses ${things(losses.to, losses.areExpected)}${against}${forGood}`;
  if (costUsd.from !== null && costUsd.to !== null) {
    const rereads = !lacksRereads && (losses.to || losses.from) ? ', re-reads included' : '';
    const least = costUsd.isFromLeast ? ' at least' : '';
    return about(
      change,
      `${costs(change)} ${formatUsd(costUsd.to)} where `,
      nameOf(baseline),
      `${costs(baseline)}${least} ${formatUsd(costUsd.from)}${inBrackets(describeChange(costUsd))}${rereads}${lost}.`,
    );
  }
  if (tokens === undefined || tokens.from === null)
    return about(change, ' cannot be compared: costs and tokens are unknown.');
  return about(
    change,
    ` processes ${formatCount(tokens.to)} tokens where `,
    nameOf(baseline),
    ` processes ${formatCount(tokens.from)}${inBrackets(describeChange(tokens))}${lost}; costs are unknown.`,
  );
}

function costs(name: string) {
  return name === RECORDED ? ' cost' : ' costs';
}

function inBrackets(text: string) {
  return text === '' ? '' : ` (${text})`;
}

function things(count: number, areExpected = false) {
  if (count === 0) return 'nothing';
  return areExpected ? `about ${countOf(count, 'thing')} (expected)` : countOf(count, 'thing');
}

function sureOf(verdict: ArmVerdict) {
  const { state, costUsd, sessions, differing } = verdict;
  const isOne = sessions === 1;
  const shown = isOne ? 'One session' : describeFamilies(verdict);
  if (state !== 'not enough data') {
    const others = state === 'no effect' ? '; others may differ' : '';
    return [`${shown} ${isOne ? 'shows' : 'show'} it${others}.`];
  }
  const count = `, of which ${formatCount(differing)} ${differing === 1 ? 'differs' : 'differ'},`;
  const unknown = costUsd.isFromLeast
    ? 'the recording lacks some costs'
    : 'too few to say how many would be';
  return [
    `${shown}${sessions === differing ? '' : count} ${isOne ? 'is' : 'are'} not enough data: ${neededBy(verdict) ?? unknown}.`,
  ];
}

function isIdle({ state }: ArmVerdict) {
  return state === 'no effect' || state === 'does nothing';
}

function doesNothing({ state, differing, sessions }: ArmVerdict) {
  const where = state === 'no effect' ? 'in these sessions' : 'on sessions like these';
  const differ = `${formatCount(differing)} of ${formatCount(sessions)} ${differing === 1 ? 'differs' : 'differ'}`;
  return ` does nothing ${where} (${differ}): leave it.`;
}

/** `undefined` where nobody can say. */
function neededBy({ sessionsNeeded: needed, families, sessions }: ArmVerdict) {
  if (needed === undefined) return undefined;
  if (needed > MOST_NEEDED) return 'more than 1,000 sessions like these would do';
  return `about ${formatCount(needed)}${families < sessions ? ' unrelated ones' : ''} would do`;
}

function othersLines(others: readonly ArmVerdict[]) {
  if (others.length === 0) return [];
  if (others.length <= MOST_NAMED) {
    return others.map((one) => {
      const failures = describeFailures(one, 'session');
      if (failures !== '') return about(one.change, ` ${failures}.`);
      if (isIdle(one)) return about(one.change, doesNothing(one));
      const needed = neededBy(one);
      return about(one.change, `: ${one.state}${needed === undefined ? '' : `, ${needed}`}.`);
    });
  }
  const counts = TOLD_FIRST.flatMap((state) => {
    const count = others.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${formatCount(count)} ${state === 'fails' ? 'broke off' : state}`];
  });
  return [[`Of the others: ${counts.join('; ')}.`]];
}

function partLines({ baseline, sessions, allSessions }: Conclusion) {
  if (baseline === undefined || sessions === allSessions) return [];
  const { name, failedAtStep: step } = baseline;
  const first =
    step === undefined ? '' : `; it breaks off in others, first at step ${formatCount(step)}`;
  const part = `Totals are over ${formatCount(sessions)} of ${countOf(allSessions, 'session')}`;
  return [[`${part}, which `, nameOf(name), ` completed${first}.`]];
}

/** With a capital where that is no name. */
function about(name: string, ...rest: Sentence) {
  const first = nameOf(name);
  if (typeof first !== 'string') return [first, ...rest];
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest];
}

function nameOf(name: string) {
  if (name === RECORDED) return 'the run as recorded';
  if (name === ADAPTER_NAME) return 'the adapter';
  return name === policies.none.name ? 'never compacting' : untrusted(name);
}
