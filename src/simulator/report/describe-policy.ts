/** Policies in words: where presets come from, when triggers fire, and what stays in the view. */

import {
  compactsUnasked,
  type ConditionCheck,
  type Evidence,
  type KeepEnds,
  type Limits,
  type Policy,
  type PolicyName,
  type PresetOrigin,
  presetOrigins,
} from '../../engine/index.ts';
import { firedConditions, isOfTokens, tailBudgetTokens } from '../../engine/internal.ts';
import { shownTokens } from '../scenario/checkup.ts';
import { messagesInWindow } from '../scenario/settings.ts';
import { countOf, formatShortPercent } from './numbers.ts';

type Lists = readonly (readonly ConditionCheck[])[];

const FIRST_OF_ALL = '0.0.0';
const NOTHING = 'nothing';

const EVIDENCE: Readonly<Record<Evidence, (date: string) => string>> = {
  observed: (date) => `observed on ${date}`,
  read: (date) => `read in its source, ${date}`,
  documented: (date) => `as documented, ${date}`,
  own: () => "this project's own",
};

/** `1.2.16 to 1.14.18`, `since 2.0.0`; empty where none is named. */
export function renderReleases({ from, to }: Pick<PresetOrigin, 'to' | 'from'>) {
  if (from === FIRST_OF_ALL && to === undefined) return 'all releases';
  if (from === undefined || from === FIRST_OF_ALL) return to === undefined ? '' : `up to ${to}`;
  if (to === undefined) return `since ${from}`;
  return from === to ? from : `${from} to ${to}`;
}

/** `observed 2026-11-28`. */
export function renderShortEvidence({ evidence, date }: PresetOrigin) {
  return evidence === 'own' ? evidence : `${evidence} ${date}`;
}

/** Empty of a policy that is no preset. */
export function describePreset({ name }: Pick<Policy, 'name'>) {
  const origin = originOfPreset(name);
  if (origin === undefined) return [];
  const { evidence, by, date, agent } = origin;
  const known = by === 'recordings' ? `observed in recordings, ${date}` : EVIDENCE[evidence](date);
  const releases = renderReleases(origin);
  return [`preset of ${agent}: ${releases === '' ? '' : `${releases}, `}${known}`];
}

/** `null` of a policy that is no preset. */
export function toPlainOrigin(name: string) {
  const origin = originOfPreset(name);
  if (origin === undefined) return null;
  const { agent, from = null, to = null, evidence, date } = origin;
  return { agent, from, to, evidence, date };
}

export function mayFireMidTurn({ trigger }: Policy) {
  const { afterStep, beforeRequest, onlyBetweenTurns } = trigger;
  return compactsUnasked(trigger) && (afterStep || beforeRequest) && onlyBetweenTurns !== true;
}

export function renderMoments(policy: Policy) {
  const { afterStep, beforeRequest } = policy.trigger;
  const moments = [afterStep ? 'after a step' : '', beforeRequest ? 'before a request' : ''];
  const checked = moments.filter((text) => text !== '').join(' and ');
  return `${checked}, ${mayFireMidTurn(policy) ? 'also in the middle of a turn' : 'between turns only'}`;
}

/** `4,000 tokens and 10 messages, or 50 messages`. */
export function describeConditions(lists: Lists) {
  const limits = lists.map((all) =>
    all.map(({ unit, limit, comparison }) => {
      const more = comparison === '>' ? 'more than ' : '';
      return `${more}${shownTokens(limit)} ${wordOf(unit)}`;
    }),
  );
  return limits.map((all) => all.join(' and ')).join(', or ');
}

/** The first list of conditions that holds, with its counts. */
export function describeFired(lists: Lists) {
  const fired = firedConditions(lists);
  return fired && describeUnmet([fired])[0];
}

export function describeUnmet(lists: Lists) {
  const checks = lists.map((all) =>
    all.map(({ unit, count, limit, comparison, isMet }) => {
      const [over, under] = comparison === '>' ? ['>', '≤'] : ['≥', '<'];
      return `${shownTokens(count)} ${wordOf(unit)} ${isMet ? over : under} ${shownTokens(limit)}`;
    }),
  );
  return checks.map((all) => all.join(' and '));
}

/** The context that stays when older one leaves the view. */
export function renderKept(policy: Policy, limits: Limits) {
  const { memory, resume } = policy;
  const inWindow = messagesInWindow(policy);
  const count = memory?.keepMessages ?? inWindow;
  const newest = count === undefined ? '' : renderNewest(count, 'message');
  const { rereads } = resume;
  const more = rereads === undefined ? '' : `; re-reads up to ${countOf(rereads.files, 'file')}`;
  if (memory) {
    const { recallEntries, recallTokens } = memory;
    const back = `up to ${countOf(recallEntries, 'piece')}, together ${countOf(recallTokens, 'token')}`;
    return `${newest}; what is older moves to a memory, of which ${back}, come back for a request; there is no compaction${more}`;
  }
  if (inWindow === undefined) return `${renderCut(policy, limits)}${more}`;
  return `${newest}; what is older is dropped; there is no compaction${more}`;
}

/** `null` where a policy has none of the kind. */
export function toPlainKept(policy: Policy, limits: Limits) {
  return {
    cut: policy.cut,
    tailBudgetTokens: tailBudgetTokens(policy, limits) ?? null,
    windowMessages: messagesInWindow(policy) ?? null,
    memory: policy.memory ?? null,
  };
}

function originOfPreset(name: string) {
  return Object.hasOwn(presetOrigins, name) ? presetOrigins[name as PolicyName] : undefined;
}

function wordOf(unit: ConditionCheck['unit']) {
  return isOfTokens({ unit }) ? 'tokens' : unit;
}

function renderNewest(count: number, word: string) {
  if (count === 0) return NOTHING;
  return `the newest ${count === 1 ? word : countOf(count, word)}`;
}

function renderCut(policy: Policy, limits: Limits) {
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
    case 'recent-turns': {
      const budget = tailBudgetTokens(policy, limits);
      // Of no tokens no turn fits.
      const turns = budget === 0 ? 0 : cut.turns;
      const kept = turns === undefined ? 'the newest turns' : renderNewest(turns, 'turn');
      if (budget === undefined || kept === NOTHING) return kept;
      return `${kept}, at most ${countOf(budget, 'token')}`;
    }
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

function renderEnds({ first, newest, unit, furtherShare }: KeepEnds) {
  const head = first === 0 ? '' : `the first ${countOf(first, unit.slice(0, -1))} and `;
  const amounts = newest.map((amount) => {
    if ('count' in amount) return countOf(amount.count, amount.of.slice(0, -1));
    const share = formatShortPercent(amount.share);
    if (amount.of === 'all') return `${share} of ${unit}`;
    return `${share} of the ${amount.of === 'window' ? 'window' : 'usable tokens'}`;
  });
  const most = amounts.length === 1 ? amounts.join() : `${amounts.join(' or ')}, whichever is more`;
  const further =
    furtherShare &&
    `; then fewer, ${formatShortPercent(furtherShare.step)} at a time, while they are above ${formatShortPercent(furtherShare.untilWindowShare)} of the window`;
  return `${head}the newest ${most}${further ?? ''}`;
}
