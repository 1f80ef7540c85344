import {
  type EngineEvent,
  findNewest,
  itemAt,
  type Move,
  type PrunePlan,
  viewOf,
} from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import type { Ledger } from './ledger.ts';
import { NOTHING_SAVED, savedBy } from './saved-by.ts';

const NO_EVENTS: readonly RunEvent[] = [];

/** The engine's events of a move with true tokens, in order; those that a run does not record are left out. */
export function describeEvents(move: Move, ledger: Ledger): readonly RunEvent[] {
  let described: RunEvent[] | undefined;
  for (const event of move.next.events) {
    const one = describeEvent(event, move, ledger);
    if (one === undefined) continue;
    if (described === undefined) described = [one];
    else described.push(one);
  }
  return described ?? NO_EVENTS;
}

function describeEvent(event: EngineEvent, move: Move, ledger: Ledger): RunEvent | undefined {
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
      return describePrune(event.plan, move, ledger);
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

const PRUNE_STATES = {
  fire: 'fired',
  'below-minimum': 'below-minimum',
  nothing: 'nothing',
} as const;

/** A prune may clear outputs that no view shows any more; only those that one showed are saved. */
function describePrune(plan: PrunePlan, move: Move, ledger: Ledger): RunEvent {
  const { state, partIds, estimatedTokens } = plan;
  const { prunedTokens, survivingTokens } =
    state === 'fire' ? savedBy(move, ledger) : NOTHING_SAVED;
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
  const view = viewOf(before);
  const markerIndex = findNewest(view, ({ id }) => id === event.markerId);
  const marker = itemAt(view, markerIndex);
  const markerTokens =
    marker === undefined ? 0 : ledger.contextTokens([marker]) - ledger.contextTokens([]);
  return {
    type: 'pivot',
    messageId: event.summaryId,
    auto: event.auto,
    contextBeforeTokens: ledger.contextTokens(view) - markerTokens,
    contextAfterTokens: ledger.contextTokens(viewOf(next.state)),
    isReplay: event.isReplay,
  };
}
