import {
  type CheckExplanation,
  type CleanupName,
  compactsUnasked,
  type ConditionCheck,
  type Evidence,
  type Inaction,
  type Judgement,
  type Policy,
  type PolicyName,
  type PresetOrigin,
  presetOrigins,
  type PruneExplanation,
  type ScanEnd,
  type Term,
  type UsageKind,
  type Verdict,
} from '../../engine/index.ts';
import { firedConditions, isOfTokens } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import type { AddedMessage, Moment, ToldPrune } from '../metrics/explain.ts';
import { shownTokens } from '../scenario/checkup.ts';
import { shownText } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import { PRUNE_MOMENTS } from './sawtooth.ts';

const OPPOSITES = { '>': '≤', '>=': '<' } as const;
const SIGNS = { '>': '>', '>=': '≥' } as const;
const ADDED = {
  marker: 'queued: marker',
  summary: 'added: summary',
  continue: 'added: continue text',
  replay: 'added: replay of the refused prompt',
} as const;
const PATHS = { 'after-step': 'after the step', 'before-request': 'before the request' } as const;

const REASONS: Readonly<Record<CleanupName, string>> = {
  duplicates: 'the same call was made again',
  superseded: 'the file was read since',
  'failed-inputs': 'the call failed long ago',
  media: 'seen long ago',
  reasoning: 'thought long ago',
};

const REASONS_OF_PRUNE: Readonly<Record<Verdict, string>> = {
  'beyond-protect': 'cleared: beyond PROTECT',
  'ranked-first': 'cleared: first in its order',
  'beyond-kept': 'cleared: beyond the newest',
  'taken-out': 'taken out with its call',
  shortened: 'shortened by its verdict',
  dropped: 'cleared by its verdict',
  'newest-message': 'kept: one of the newest messages, which the scan skips',
  'guarded-turn': 'kept: in a guarded turn',
  'not-completed': 'kept: the call has no output',
  'protected-tool': 'kept: protected tool',
  'within-protect': 'kept: within PROTECT',
  'among-kept': 'kept: one of the newest outputs',
  'kept-by-verdict': 'kept by its verdict',
  'already-cleared': 'already cleared',
  'cleaned-up': 'cleared by a clean-up',
  'behind-cleared': 'kept: after a cleared output in its message',
  'not-reached': 'kept: beyond the boundary, not reached',
  outranked: 'kept: others go first',
};

const WEIGHED: readonly Verdict[] = [
  'ranked-first',
  'beyond-kept',
  'taken-out',
  'shortened',
  'dropped',
  'outranked',
];

const ENDS: Readonly<Record<ScanEnd['at'], string>> = {
  summary: 'summary: scan ends',
  'already-cleared': 'already cleared: scan ends here',
};

const KIND_NAMES: Readonly<Record<UsageKind, string>> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  total: 'the stored total',
};

export const INACTIONS: Readonly<Record<Inaction, string>> = {
  'nothing-to-cut': 'nothing to summarise but what stays',
  'never-pivots': 'the policy never compacts',
  'nothing-to-move': 'nothing to move out but what stays',
};

type Lists = readonly (readonly ConditionCheck[])[];

const FIRST_OF_ALL = '0.0.0';

const EVIDENCE: Readonly<Record<Evidence, (date: string) => string>> = {
  observed: (date) => `observed on ${date}`,
  read: (date) => `read in its source, ${date}`,
  documented: (date) => `as documented, ${date}`,
  own: () => "this project's own",
};

/** Everything that one input led to, a line each. */
export function renderMoment(moment: Moment, { prune, trigger }: Policy): readonly string[] {
  const { input, checks, cleanups = [], prune: pass, added, events } = moment;
  const isIgnored = events.some(({ type }) => type === 'usage-ignored');
  const isUnchecked = input === 'step-finished' && checks.length === 0 && !isIgnored;
  const noPrune =
    !prune.enabled || prune.when === 'never'
      ? 'prune: off'
      : `prune: only ${PRUNE_MOMENTS[prune.when]}`;
  // The summary itself is told with its pivot.
  const addedAs = (...kinds: readonly AddedMessage['kind'][]) =>
    added
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, messageId }) => `${ADDED[kind]} ${shownText(messageId)}`);
  return [
    ...renderRefusal(moment),
    ...(isUnchecked
      ? [`no check${compactsUnasked(trigger) ? '' : ': auto is off'}`]
      : checks.flatMap((check) => renderCheck(check, moment))),
    ...cleanups.flatMap(({ pass: name, estimatedTokens, parts }) => [
      `clean-up ${name}: ${parts.length} cleared, ${formatCount(estimatedTokens)} tokens (as the policy estimates)`,
      ...parts.map(
        (part) =>
          `  ${shownText(part.type === 'tool' ? part.tool : part.type)} ${shownText(part.id)}  cleared: ${REASONS[name]}`,
      ),
    ]),
    ...(pass === undefined ? [] : [`prune: ${renderOutcome(pass)}`, ...renderJudgements(pass)]),
    ...(input === 'turn-ended' && pass === undefined ? [noPrune] : []),
    ...addedAs('marker'),
    ...events.flatMap(renderEvent),
    ...addedAs('continue', 'replay'),
    ...renderStop(moment),
  ];
}

export function renderRefusal({ refusal }: Moment): readonly string[] {
  if (refusal === undefined) return [];
  const { contextTokens, windowTokens } = refusal;
  return [`refused ${formatCount(contextTokens)} > window ${formatCount(windowTokens)}`];
}

export function renderBreak({ lostTokens = 0 }: RunEvent & { readonly type: 'step-end' }): string {
  return `cache broken: ${formatCount(lostTokens)} cached tokens lost`;
}

/** The outcome of a prune in numbers, and why nobody saw it. */
export function renderOutcome(prune: ToldPrune): string {
  const outcome = renderNumbers(prune);
  return prune.isBehindSummary
    ? `${outcome}; nothing left the view: all was behind a summary already`
    : outcome;
}

/** `usable 168,000 = context 200,000 − output 32,000`. */
export function renderTerm(name: string, term: Term): string {
  return `${name} ${formatCount(term.tokens)} = ${renderParts(term)}`;
}

/** An event as `explain` tells it; nothing where it is told elsewhere. */
export function renderEvent(event: RunEvent) {
  switch (event.type) {
    case 'overflow':
      return event.path === 'refused' ? ['refused by the provider, not triggered by a count'] : [];
    case 'prune-end':
      if (event.state !== 'fired') return [];
      return [
        event.prunedTokens < 0
          ? `pruned: ${formatCount(-event.prunedTokens)} true tokens more in the view, by longer placeholders`
          : `pruned: ${formatCount(event.prunedTokens)} true tokens left the view`,
      ];
    case 'summary-end':
      return [renderSummary(event)];
    case 'summary-rejected':
      return [`summary rejected: ${shownText(event.reason)}`];
    case 'summary-repeated':
      return [`summary requested again: ${event.because}`];
    case 'usage-ignored':
      return [`usage of ${shownText(event.messageId)} ignored: ${shownText(event.reason)}`];
    case 'moved-out':
      return [`moved out: ${countOf(event.messageIds.length, 'message')}`];
    case 'law-violated':
      return [`law ${event.law} violated${event.isKnown ? ', as its source does' : ''}`];
    case 'pivot':
      return [
        `compaction ${shownText(event.messageId)}: context ${formatCount(event.contextBeforeTokens)} → ${formatCount(event.contextAfterTokens)}`,
      ];
    case 'step-end':
      return [renderBreak(event)];
    default:
      return [];
  }
}

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

/** The first list of conditions that holds, with its counts. */
export function describeFired(lists: Lists) {
  const fired = firedConditions(lists);
  return fired && describeUnmet([fired])[0];
}

export function wordOf(unit: ConditionCheck['unit']) {
  return isOfTokens({ unit }) ? 'tokens' : unit;
}

function describeUnmet(lists: Lists) {
  const checks = lists.map((all) =>
    all.map(({ unit, count, limit, comparison, isMet }) => {
      const [over, under] = comparison === '>' ? ['>', '≤'] : ['≥', '<'];
      return `${shownTokens(count)} ${wordOf(unit)} ${isMet ? over : under} ${shownTokens(limit)}`;
    }),
  );
  return checks.map((all) => all.join(' and '));
}

function renderCheck(check: CheckExplanation, moment: Moment) {
  const { usableTokens, comparison, isOverflow, conditions } = check.check;
  const count = renderCount(check);
  const where = `${PATHS[check.path]}, rule ${check.rule}, usage of ${shownText(check.messageId)}`;
  if (check.isUnlimited)
    return [`${count}, and a window of 0 means no limit → go on`, `  ${where}`];
  const sign = isOverflow ? SIGNS[comparison] : OPPOSITES[comparison];
  const outcome = isOverflow ? outcomeOf(moment) : 'go on';
  if (conditions !== undefined) {
    const fired = describeFired(conditions);
    return fired === undefined
      ? [
          `${count}: no condition holds → go on`,
          ...describeUnmet(conditions).map((line) => `  ${line}`),
          `  ${where}`,
        ]
      : [`${fired} → ${outcome}`, `  ${count}`, `  ${where}`];
  }
  return [
    `${count} ${sign} usable ${formatCount(usableTokens)} → ${outcome}`,
    `  ${renderTerm('usable', check.usable)}`,
    `  ${where}`,
  ];
}

/** Kinds without tokens are left out. */
function renderCount({ check, counted, newerTokens }: CheckExplanation) {
  const kinds = counted.map(({ kind, tokens }) => [KIND_NAMES[kind], tokens] as const);
  const parts = [...kinds, ['newer, estimated', newerTokens] as const]
    .filter(([, tokens]) => tokens !== 0)
    .map(([kind, tokens]) => `${kind} ${formatCount(tokens)}`);
  const count = `count ${formatCount(check.countTokens)}`;
  return parts.length === 0 ? count : `${count} = ${parts.join(' + ')}`;
}

function outcomeOf(moment: Moment) {
  const { inaction, prune, stopReason } = moment;
  if (inaction !== undefined) {
    const end = stopReason === undefined ? 'go on' : `stop (${stopReason})`;
    return `${prune === undefined ? '' : 'prune, then '}${end}: ${INACTIONS[inaction]}`;
  }
  if (moment.background === 'started') return 'compact in the background';
  if (moment.background === 'waiting') return 'go on: a summary waits to take effect';
  if (moment.added.some(({ kind }) => kind === 'marker'))
    return prune === undefined ? 'compact' : 'prune, then compact';
  if (prune !== undefined) return 'prune';
  if (moment.events.some(({ type }) => type === 'moved-out')) return 'move out';
  return stopReason === undefined ? 'go on' : `stop (${stopReason})`;
}

function renderJudgements(prune: PruneExplanation) {
  const { judgements, plan, weighedTokens } = prune;
  const reached = judgements.filter(
    (judged) => judged.type !== 'output' || judged.verdict !== 'not-reached',
  );
  const beyond = judgements.length - reached.length;
  const outputs = judgements.filter(({ type }) => type === 'output').length;
  const chosen = `${plan.partIds.length} chosen with ${formatCount(plan.estimatedTokens)} tokens`;
  const total = `total: ${outputs} outputs, ${formatCount(weighedTokens)} tokens weighed, ${chosen} (as the policy estimates)`;
  return [
    ...reached.map((judged) => renderJudgement(judged, prune)),
    ...(beyond === 0 ? [] : [`${beyond} older: ${REASONS_OF_PRUNE['not-reached']}`]),
    ...(judgements.length === 0 ? [] : [total]),
  ].map((line) => `  ${line}`);
}

function renderJudgement(
  judged: Judgement,
  { plan, protectTokens, keptOutputs }: PruneExplanation,
) {
  if (judged.type === 'end') {
    const givesUp = judged.givesUp ? ', and the pass gives up' : '';
    return `── ${ENDS[judged.at]} (${shownText(judged.messageId)})${givesUp}`;
  }
  const { part, verdict, tokens = 0, seenTokens = 0 } = judged;
  const name = `${shownText(part.tool)} ${shownText(part.id)}`;
  const size = `${formatCount(tokens)} tokens`;
  const reason = REASONS_OF_PRUNE[verdict];
  if (verdict === 'beyond-protect' || verdict === 'within-protect') {
    if (protectTokens === undefined) return `${name}  ${size}  cleared`;
    const isOnlyPlanned = verdict === 'beyond-protect' && plan.state !== 'fire';
    const sum = `sum ${formatCount(seenTokens)}  ${isOnlyPlanned ? 'would be ' : ''}${reason}`;
    return `${name}  ${size}, ${sum} ${formatCount(protectTokens)}`;
  }
  const shown = WEIGHED.includes(verdict) ? `${size}  ${reason}` : reason;
  return `${name}  ${shown}${verdict === 'beyond-kept' ? ` ${keptOutputs}` : ''}`;
}

function renderSummary(event: RunEvent & { readonly type: 'summary-end' }) {
  const head = `${event.verifies ? 'check of a ' : ''}summary of ${countOf(event.headMessages, 'message')}`;
  if (event.state === 'failed') return `${head} failed: ${shownText(event.reason ?? 'unknown')}`;
  const [input, output] = [event.inputTokens, event.outputTokens].map(formatCount);
  const { keptTokens } = event;
  const cut = keptTokens === undefined ? '' : `, cut to ${formatCount(keptTokens)}`;
  return `${head}: ${input} tokens in${cut}, ${output} out`;
}

function renderStop({ stopReason, checks, inaction }: Moment) {
  const isTold = stopReason === 'finished' || checks.some(({ check }) => check.isOverflow);
  if (stopReason === undefined || isTold) return [];
  const why = inaction === undefined ? '' : `, ${INACTIONS[inaction]}`;
  return [`stopped: ${stopReason}${why}`];
}

function renderNumbers({ plan, minimumTokens, keptOutputs, evicts }: PruneExplanation) {
  const saved = formatCount(plan.estimatedTokens);
  const hasFired = plan.state === 'fire';
  if (plan.state === 'nothing') return 'nothing to clear → not fired';
  if (evicts !== undefined && hasFired) return `${saved} by ${evicts} → fired`;
  if (keptOutputs !== undefined) {
    const beyond = `${saved} of all but the newest ${keptOutputs}`;
    const below = `with what is cleared already below ${formatCount(minimumTokens)}`;
    return hasFired ? `${beyond} → fired` : `${beyond}, ${below} → not fired`;
  }
  if (minimumTokens === undefined) return `${saved} → fired`;
  const minimum = formatCount(minimumTokens);
  if (hasFired) return `${saved} > minimum ${minimum} → fired`;
  const shortTokens = minimumTokens + 1 - plan.estimatedTokens;
  return `${saved} ≤ minimum ${minimum} → not fired, short by ${formatCount(shortTokens)}`;
}

function renderParts(term: Term): string {
  switch (term.type) {
    case 'value':
      return `${term.name} ${formatCount(term.tokens)}`;
    case 'difference': {
      const less = renderParts(term.less);
      return `${renderParts(term.from)} − ${term.less.type === 'difference' ? `(${less})` : less}`;
    }
    case 'share':
      return `${term.share} × (${renderParts(term.of)})`;
    case 'least':
    case 'most': {
      const word = term.type === 'least' ? 'min' : 'max';
      const choices = term.of.map(renderParts).join(' and ');
      if (term.name === undefined) return `${word} of (${choices})`;
      const named = `${term.name} ${formatCount(term.tokens)}`;
      return term.of.length === 1 ? `${named} (${choices})` : `${named} (${word} of ${choices})`;
    }
  }
}

function originOfPreset(name: string) {
  return Object.hasOwn(presetOrigins, name) ? presetOrigins[name as PolicyName] : undefined;
}
