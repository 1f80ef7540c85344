import type { CheckExplanation, Policy, PrunePolicy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import type { AddedMessage, Moment } from '../../metrics/explain.ts';
import { countOf } from '../numbers.ts';
import { PRUNE_MOMENTS } from '../prune-moments.ts';
import { shownText } from '../shown-text.ts';
import { renderCleanup } from './cleanup.ts';
import { renderPrune } from './prune.ts';
import { formatTokens, INACTIONS, renderCount, renderTerm } from './terms.ts';

const OPPOSITES = { '>': '≤', '>=': '<' } as const;
const SIGNS = { '>': '>', '>=': '≥' } as const;
const ADDED = {
  marker: 'queued: marker',
  summary: 'added: summary',
  continue: 'added: continue text',
  replay: 'added: replay of the refused prompt',
} as const;
const PATHS = { 'after-step': 'after the step', 'before-request': 'before the request' } as const;

/** Everything that one input to the engine led to, a line each. */
export function renderMoment(moment: Moment, { prune, trigger }: Policy): readonly string[] {
  const checks = isUnchecked(moment)
    ? [`no check${trigger.auto ? '' : ': auto is off'}`]
    : moment.checks.flatMap((check) => renderCheck(check, moment));
  const cleaned = (moment.cleanups ?? []).flatMap(renderCleanup);
  const pruned = moment.prune === undefined ? [] : renderPrune(moment.prune);
  const queued = moment.added.filter(isMarker).map(renderAdded);
  const added = moment.added.filter(isResumed).map(renderAdded);
  const events = moment.events.flatMap(renderEvent);
  const isPruneOff = moment.input === 'turn-ended' && moment.prune === undefined;
  const off = isPruneOff ? [renderNoPrune(prune)] : [];
  return [
    ...renderRefusal(moment),
    ...checks,
    ...cleaned,
    ...pruned,
    ...off,
    ...queued,
    ...events,
    ...added,
    ...renderStop(moment),
  ];
}

/** The refusal that an input came with. */
export function renderRefusal({ refusal }: Moment): readonly string[] {
  if (refusal === undefined) return [];
  const { contextTokens, windowTokens } = refusal;
  return [`refused ${formatTokens(contextTokens)} > window ${formatTokens(windowTokens)}`];
}

function isUnchecked({ input, checks, events }: Moment): boolean {
  const isIgnored = events.some(({ type }) => type === 'usage-ignored');
  return input === 'step-finished' && checks.length === 0 && !isIgnored;
}

function isMarker({ kind }: AddedMessage): boolean {
  return kind === 'marker';
}

/** The summary itself is told with its pivot. */
function isResumed({ kind }: AddedMessage): boolean {
  return kind === 'continue' || kind === 'replay';
}

function renderAdded({ kind, messageId }: AddedMessage): string {
  return `${ADDED[kind]} ${shownText(messageId)}`;
}

/** A check with its numbers, then how usable came about. */
function renderCheck(check: CheckExplanation, moment: Moment): readonly string[] {
  const { countTokens, usableTokens, comparison, isOverflow } = check.check;
  const count = renderCount(countTokens, check.counted, check.newerTokens);
  const where = `${PATHS[check.path]}, rule ${check.rule}, usage of ${shownText(check.messageId)}`;
  if (check.isUnlimited) {
    return [`${count}, and a window of 0 means no limit → go on`, `  ${where}`];
  }
  const sign = isOverflow ? SIGNS[comparison] : OPPOSITES[comparison];
  const outcome = isOverflow ? outcomeOf(moment) : 'go on';
  return [
    `${count} ${sign} usable ${formatTokens(usableTokens)} → ${outcome}`,
    `  ${renderTerm('usable', check.usable)}`,
    `  ${where}`,
  ];
}

function outcomeOf(moment: Moment): string {
  const { inaction, prune, stopReason } = moment;
  if (inaction !== undefined) {
    const end = stopReason === undefined ? 'go on' : `stop (${stopReason})`;
    return `${prune === undefined ? '' : 'prune, then '}${end}: ${INACTIONS[inaction]}`;
  }
  if (moment.added.some(({ kind }) => kind === 'marker')) {
    return prune === undefined ? 'compact' : 'prune, then compact';
  }
  if (prune !== undefined) return 'prune';
  if (moment.events.some(({ type }) => type === 'moved-out')) return 'move out';
  return stopReason === undefined ? 'go on' : `stop (${stopReason})`;
}

function renderEvent(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'overflow':
      return event.path === 'refused' ? ['refused by the provider, not triggered by a count'] : [];
    case 'prune-end':
      return event.state === 'fired'
        ? [`pruned: ${formatTokens(event.prunedTokens)} true tokens left the view`]
        : [];
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
      return [renderPivot(event)];
    default:
      return [];
  }
}

function renderSummary(event: RunEvent & { readonly type: 'summary-end' }): string {
  const head = `summary of ${countOf(event.headMessages, 'message')}`;
  if (event.state === 'failed') return `${head} failed: ${shownText(event.reason ?? 'unknown')}`;
  const [input, output] = [event.inputTokens, event.outputTokens].map(formatTokens);
  const { keptTokens } = event;
  const cut = keptTokens === undefined ? '' : `, cut to ${formatTokens(keptTokens)}`;
  return `${head}: ${input} tokens in${cut}, ${output} out`;
}

function renderPivot(event: RunEvent & { readonly type: 'pivot' }): string {
  const [before, after] = [event.contextBeforeTokens, event.contextAfterTokens].map(formatTokens);
  return `pivot ${shownText(event.messageId)}: context ${before} → ${after}`;
}

function renderNoPrune({ enabled, when }: PrunePolicy): string {
  if (!enabled || when === 'never') return 'prune: off';
  return `prune: only ${PRUNE_MOMENTS[when]}`;
}

function renderStop({ stopReason, checks, inaction }: Moment): readonly string[] {
  const isTold = stopReason === 'finished' || checks.some(({ check }) => check.isOverflow);
  if (stopReason === undefined || isTold) return [];
  const why = inaction === undefined ? '' : `, ${INACTIONS[inaction]}`;
  return [`stopped: ${stopReason}${why}`];
}
