import {
  type Command,
  type EngineEvent,
  estimateMessages,
  type LoopInput,
  type Message,
  type Move,
  newestRequest,
  type OverflowCheck,
  type PivotSizes,
  type PrunePlan,
  type Violation,
} from '../../engine/index.ts';
import {
  advance,
  commonLength,
  findNewest,
  firedConditions,
  firstItems,
  isOfTokens,
  itemAt,
  partingOf,
  historyOf,
  requestedList,
  stateBeforePivot,
  viewListOf,
} from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import { sum } from '../lib/collections.ts';
import type { PromptBlock } from '../provider/prompt.ts';
import type { Ledger } from './ledger.ts';
import { noteBroken, type Running, usableTokensOf } from './run-state.ts';

interface Savings {
  readonly prunedTokens: number;
  /** That stand behind the first block that is not as it was. */
  readonly survivingTokens: number;
}

const NOTHING: readonly RunEvent[] = [];
const NOTHING_SAVED: Savings = { prunedTokens: 0, survivingTokens: 0 };

/** Gives the engine an input, records the resulting events, and stores its commands. */
export function feed(running: Running, input: LoopInput): void {
  const { env, newId, state: before } = running;
  const uses = running.uses?.from(nextStep(running.step, input));
  const next = advance(before, input, { now: env.now(), newId, uses });
  const move = { before, input, next, uses };
  running.state = next.state;
  if (running.onTransition !== undefined)
    running.toldMoves.push({ move, after: running.told.length });
  const events = describeEvents(move, running.ledger);
  tellAll(running, events);
  tellAll(running, running.watch.tellMove(move));
  tellAll(running, findViolations(running, move, events));
  running.requested = undefined;
  for (const command of next.commands) {
    if (command.type === 'request') running.requested = requestedList(command);
    if (command.type === 'summarise') {
      const isRepeated = next.events.some(({ type }) => type === 'summary-repeated');
      if (!isRepeated) running.compactionsInARow += 1;
      running.asked = command.request;
    }
    if (command.type === 'stop') running.halt ??= haltFor(command);
  }
}

/** Appends events to those that are not yet yielded. */
export function tellAll({ told }: Running, events: readonly RunEvent[]): void {
  if (events.length === 0) return;
  for (const event of events) told.push(event);
}

/** The savings of a prune. Only the messages that it changed are compared. */
export function savedBy(move: Move, ledger: Pick<Ledger, 'pageOf' | 'contextTokens'>): Savings {
  const view = viewListOf(move.next.state);
  let prunedTokens = 0;
  let survivingTokens: number | undefined;
  for (const { original, message, index } of changedBy(move)) {
    const [old, now] = [ledger.pageOf(original).blocks, ledger.pageOf(message).blocks];
    if (old === now) continue;
    const common = commonLength(old, now);
    prunedTokens += tokensFrom(old, common) - tokensFrom(now, common);
    if (common === old.length && common === now.length) continue;
    const behindTokens =
      ledger.contextTokens(view) - ledger.contextTokens(firstItems(view, index + 1));
    survivingTokens ??= tokensFrom(now, common) + behindTokens;
  }
  return { prunedTokens, survivingTokens: survivingTokens ?? 0 };
}

/** The first step that is still to come after an input; one that was not answered is. */
export function nextStep(newestStep: number, { type }: Pick<LoopInput, 'type'>): number {
  return type === 'step-refused' || type === 'aborted' ? newestStep : newestStep + 1;
}

function* changedBy(move: Move) {
  const { from, after } = partingOf(viewListOf(move.before), viewListOf(move.next.state));
  if (after.length === 0) return;
  const originals = originalsOf(move);
  for (const [place, message] of after.entries()) {
    const original = originals.get(message.id);
    if (original !== undefined) yield { original, message, index: from + place };
  }
}

function estimateSaved(move: Move): number {
  const { policy } = move.next.state;
  const changes = [...changedBy(move)];
  return sum(
    changes.map(
      ({ original, message }) =>
        estimateMessages([original], policy) - estimateMessages([message], policy),
    ),
  );
}

function describeEvents(move: Move, ledger: Ledger): readonly RunEvent[] {
  const { events } = move.next;
  if (events.length === 0) return NOTHING;
  // The joint savings of several prunes in a move are told of the first that fired.
  const first = events.find((event) => event.type === 'pruned' && event.plan.state === 'fire');
  const savings = first && savedBy(move, ledger);
  return events.flatMap((event) => {
    if (event.type === 'pruned')
      return [describePrune(event.plan, move, event === first ? savings : undefined)];
    return describeEvent(event, move, ledger) ?? [];
  });
}

function describeEvent(event: EngineEvent, move: Move, ledger: Ledger): RunEvent | undefined {
  switch (event.type) {
    case 'overflow':
      return {
        type: 'overflow',
        path: event.path,
        ...(event.check &&
          isByTokens(event.check) && {
            countTokens: event.check.countTokens,
            usableTokens: event.check.usableTokens,
          }),
      };
    case 'compacted':
      return describePivot(event, move, ledger);
    case 'summary-rejected':
      return { type: 'summary-rejected', reason: event.reason };
    case 'summary-repeated':
      return { type: 'summary-repeated', because: event.because };
    case 'usage-ignored':
    case 'moved-out':
      return event;
    default:
      return undefined;
  }
}

function isByTokens({ conditions }: OverflowCheck): boolean {
  const fired = conditions && firedConditions(conditions);
  return fired === undefined || fired.some(isOfTokens);
}

/** A prune may clear what no view shows any more; only what one showed is saved. */
function describePrune(
  { state, partIds, estimatedTokens }: PrunePlan,
  move: Move,
  { prunedTokens, survivingTokens }: Savings = NOTHING_SAVED,
): RunEvent {
  return {
    type: 'prune-end',
    state: state === 'fire' ? 'fired' : state,
    partIds,
    estimatedTokens: prunedTokens < 0 ? estimateSaved(move) : estimatedTokens,
    prunedTokens,
    survivingTokens,
  };
}

function describePivot(
  event: EngineEvent & { readonly type: 'compacted' },
  { before, next }: Move,
  ledger: Ledger,
): RunEvent {
  const view = viewListOf(stateBeforePivot(before, next));
  const markerIndex = findNewest(view, ({ id }) => id === event.markerId);
  const marker = itemAt(view, markerIndex);
  const markerTokens =
    marker === undefined ? 0 : ledger.contextTokens([marker]) - ledger.contextTokens([]);
  return {
    type: 'pivot',
    messageId: event.summaryId,
    auto: event.auto,
    contextBeforeTokens: ledger.contextTokens(view) - markerTokens,
    contextAfterTokens: ledger.contextTokens(viewListOf(next.state)),
    isReplay: event.isReplay,
  };
}

function findViolations(running: Running, move: Move, events: readonly RunEvent[]) {
  // Only the end of a summary, or its taking effect, has sizes to be checked.
  const isPivot =
    move.before.phase.state === 'summarising' || events.some(({ type }) => type === 'pivot');
  const violations = running.checkLaws(
    isPivot ? { ...move, sizes: sizesOf(running, events) } : move,
  );
  return violations.length === 0 ? NOTHING : tellViolations(running, violations);
}

function sizesOf(running: Running, events: readonly RunEvent[]): PivotSizes {
  const { state, ledger, summaryPrompt, summaryService } = running;
  const pivot = events.find((event) => event.type === 'pivot');
  const summaryInputTokens = summaryPrompt?.whole.tokens;
  const { windowTokens: summaryWindowTokens } = summaryService;
  if (pivot === undefined) return { summaryInputTokens, summaryWindowTokens };
  const newest = newestRequest(state.history);
  return {
    summaryInputTokens,
    summaryWindowTokens,
    contextBeforeTokens: pivot.contextBeforeTokens,
    contextAfterTokens: pivot.contextAfterTokens,
    floorTokens: ledger.contextTokens(newest === undefined ? [] : [newest]),
    usableTokens: usableTokensOf(state),
  };
}

function tellViolations(running: Running, violations: readonly Violation[]): readonly RunEvent[] {
  const { policy } = running.state;
  return violations.map(({ law, message, messageIds }) => {
    const isKnown = policy.breaks.some((broken) => broken.law === law);
    if (!isKnown) noteBroken(running, law);
    return { type: 'law-violated', law, message, messageIds, isKnown };
  });
}

/** Only guards end a run: after any other stop the recording goes on with its next step. */
function haltFor({ reason, detail = reason }: Command & { readonly type: 'stop' }) {
  return reason === 'breaker' || reason === 'irreducible'
    ? { state: reason, reason: detail }
    : undefined;
}

function originalsOf({ before, input, next }: Move): ReadonlyMap<string, Message> {
  const { before: old, after: now } = partingOf(historyOf(before), historyOf(next.state));
  const originals = new Map<string, Message>();
  for (const [index, message] of old.entries()) {
    if (message !== now[index]) originals.set(message.id, message);
  }
  if (input.type === 'step-finished') originals.set(input.message.id, input.message);
  return originals;
}

function tokensFrom(blocks: readonly PromptBlock[], start: number): number {
  return sum(blocks.slice(start).map(({ tokens }) => tokens));
}
