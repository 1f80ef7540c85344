import { type EngineEvent, type Move, type PrunePlan } from '../../engine/index.ts';
import { findNewest, itemAt, viewListOf } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import type { Ledger } from './ledger.ts';
import { NOTHING_SAVED, savedBy } from './saved-by.ts';

/** What events are described with. */
interface Describing {
  readonly move: Move;
  readonly ledger: Ledger;
  /** Whether what the move's prunes saved has been told. */
  readonly isSaved: boolean;
}

const NO_EVENTS: readonly RunEvent[] = [];

const PRUNE_STATES = {
  fire: 'fired',
  'below-minimum': 'below-minimum',
  nothing: 'nothing',
} as const;

/** The engine's events of a move with true tokens, in order; those that a run does not record are left out. */
export function describeEvents(move: Move, ledger: Ledger): readonly RunEvent[] {
  let described: RunEvent[] | undefined;
  let hasPruned = false;
  for (const event of move.next.events) {
    // What several prunes of a move saved together is told of the first that fired.
    const one = describeEvent(event, { move, ledger, isSaved: hasPruned });
    hasPruned ||= event.type === 'pruned' && event.plan.state === 'fire';
    if (one === undefined) continue;
    if (described === undefined) described = [one];
    else described.push(one);
  }
  return described ?? NO_EVENTS;
}

function describeEvent(event: EngineEvent, describing: Describing): RunEvent | undefined {
  const { move, ledger } = describing;
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
      return describePrune(event.plan, describing);
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

/** A prune may clear what no view shows any more; only what one showed is saved. */
function describePrune(plan: PrunePlan, { move, ledger, isSaved }: Describing): RunEvent {
  const { state, partIds, estimatedTokens } = plan;
  const { prunedTokens, survivingTokens } =
    state === 'fire' && !isSaved ? savedBy(move, ledger) : NOTHING_SAVED;
  return {
    type: 'prune-end',
    state: PRUNE_STATES[state],
    partIds,
    estimatedTokens,
    prunedTokens,
    survivingTokens,
  };
}

function describePivot(
  event: EngineEvent & { readonly type: 'compacted' },
  { before, next }: Move,
  ledger: Ledger,
): RunEvent {
  const view = viewListOf(before);
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
