import { type Move, newestRequest, type PivotSizes, type Violation } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { noteBroken } from './broken-laws.ts';
import { type Running, usableTokensOf } from './running.ts';

const NOTHING: readonly RunEvent[] = [];

/** Checks a move of a run against the laws, and remembers those that the policy should have kept. */
export function findViolations(
  running: Running,
  move: Move,
  events: readonly RunEvent[],
): readonly RunEvent[] {
  // Only the end of a summary has sizes to be checked.
  const isPivot = move.before.phase.state === 'summarising';
  const violations = running.checkLaws(isPivot ? withSizes(move, sizesOf(running, events)) : move);
  return violations.length === 0 ? NOTHING : tellViolations(running, violations);
}

function withSizes({ before, input, next, uses }: Move, sizes: PivotSizes): Move {
  return { before, input, next, uses, sizes };
}

function tellViolations(running: Running, violations: readonly Violation[]): readonly RunEvent[] {
  const { policy } = running.state;
  return violations.map(({ law, message, messageIds }) => {
    const isKnown = policy.breaks.some((broken) => broken.law === law);
    if (!isKnown) noteBroken(running, law);
    return { type: 'law-violated', law, message, messageIds, isKnown };
  });
}

/** True sizes around a pivot. */
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
