import { type Move, newestRequest, type PivotSizes } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { type Running, usableTokensOf } from './running.ts';

const NOTHING: readonly RunEvent[] = [];

/** Checks a move of a run against the laws, and remembers those that the policy should have kept. */
export function findViolations(
  running: Running,
  move: Move,
  events: readonly RunEvent[],
): readonly RunEvent[] {
  const { policy } = move.next.state;
  // Only the end of a summary has sizes to be checked.
  const isPivot = move.before.phase.state === 'summarising';
  const violations = running.checkLaws(
    isPivot ? { ...move, sizes: sizesOf(running, events) } : move,
  );
  if (violations.length === 0) return NOTHING;
  return violations.map((violation) => {
    const isKnown = policy.breaks.some(({ law }) => law === violation.law);
    if (!isKnown) running.broken.set(violation.law, (running.broken.get(violation.law) ?? 0) + 1);
    return { type: 'law-violated', ...violation, isKnown };
  });
}

/** True sizes around a pivot. */
function sizesOf(running: Running, events: readonly RunEvent[]): PivotSizes {
  const { state, ledger, summaryPrompt, summaryService } = running;
  const pivot = events.find((event) => event.type === 'pivot');
  const summary = {
    summaryInputTokens: summaryPrompt?.whole.tokens,
    summaryWindowTokens: summaryService.windowTokens,
  };
  if (pivot === undefined) return summary;
  const newest = newestRequest(state.history);
  const usableTokens = usableTokensOf(state);
  return {
    ...summary,
    contextBeforeTokens: pivot.contextBeforeTokens,
    contextAfterTokens: pivot.contextAfterTokens,
    floorTokens: ledger.contextTokens(newest === undefined ? [] : [newest]),
    ...(usableTokens !== undefined && { usableTokens }),
  };
}
