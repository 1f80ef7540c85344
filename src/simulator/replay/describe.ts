import {
  commonLength,
  type EngineEvent,
  itemsFrom,
  type LoopInput,
  type LoopState,
  type Message,
  type PrunePlan,
  viewOf,
} from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { commonPrefix } from '../provider/cache/prefix.ts';
import type { Prompt } from '../provider/cache/prompt.ts';
import type { Ledger } from './ledger.ts';

/** A transition as a run tells of it: what led to it, the states around it, and what weighs them. */
export interface Around {
  readonly before: LoopState;
  readonly input: LoopInput;
  readonly after: LoopState;
  readonly ledger: Ledger;
}

const NO_EVENTS: readonly RunEvent[] = [];

/** The engine's events with true tokens, in order; those that a run does not record are left out. */
export function describeEvents(
  events: readonly EngineEvent[],
  around: Around,
): readonly RunEvent[] {
  return events.length === 0
    ? NO_EVENTS
    : events.flatMap((event) => describeEvent(event, around) ?? []);
}

function describeEvent(event: EngineEvent, around: Around): RunEvent | undefined {
  switch (event.type) {
    case 'overflow':
      return {
        type: 'overflow',
        path: event.path,
        ...(event.check && {
          countTokens: event.check.countTokens,
          usableTokens: event.check.usableTokens,
        }),
      };
    case 'pruned':
      return describePrune(event.plan, around);
    case 'compacted':
      return describePivot(event, around);
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

const PRUNE_STATES = {
  fire: 'fired',
  'below-minimum': 'below-minimum',
  nothing: 'nothing',
} as const;

/** A prune may clear outputs that no view shows any more; only those that one showed are saved. */
function describePrune(plan: PrunePlan, around: Around): RunEvent {
  const { state, partIds, estimatedTokens } = plan;
  const saved = state === 'fire' ? savedBy(around) : { prunedTokens: 0, survivingTokens: 0 };
  return { type: 'prune-end', state: PRUNE_STATES[state], partIds, estimatedTokens, ...saved };
}

/** What left the view, and what stands behind it; nobody looks at what stands before. */
function savedBy({ before, input, after, ledger }: Around) {
  const view = viewOf(after);
  const start = commonLength(viewOf(before), view);
  const changed = itemsFrom(view, start);
  const whole = unpruned(changed, { before, input, after });
  return {
    prunedTokens: ledger.contextTokens(whole) - ledger.contextTokens(changed),
    survivingTokens: tokensBehindChange(ledger.prompt(whole), ledger.prompt(changed)),
  };
}

/** Messages as they were before the prune; the step that led to it may be among them. */
function unpruned(
  messages: readonly Message[],
  { before, input, after }: Omit<Around, 'ledger'>,
): readonly Message[] {
  const stepped = input.type === 'step-finished' ? [input.message] : [];
  const start = commonLength(before.history, after.history);
  const originals = new Map(
    [...itemsFrom(before.history, start), ...stepped].map((message) => [message.id, message]),
  );
  return messages.map((message) => originals.get(message.id) ?? message);
}

/** True tokens from the first block on that is not as it was. */
function tokensBehindChange(old: Prompt, { whole }: Prompt): number {
  return whole.tokens - commonPrefix(old.whole, whole).tokens;
}

function describePivot(
  event: EngineEvent & { readonly type: 'compacted' },
  { before, after, ledger }: Around,
): RunEvent {
  const isNotMarker = (message: Message) => message.id !== event.markerId;
  return {
    type: 'pivot',
    messageId: event.summaryId,
    auto: event.auto,
    contextBeforeTokens: ledger.contextTokens(viewOf(before).filter(isNotMarker)),
    contextAfterTokens: ledger.contextTokens(viewOf(after)),
    isReplay: event.isReplay,
  };
}
