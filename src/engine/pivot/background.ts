/** Summaries that are written while the loop goes on, and take effect some steps later. */

import { findNewest, firstItems, grow, itemAt } from '../history.ts';
import { overflowRules } from '../overflow.ts';
import {
  changeState,
  historyOf,
  type LoopState,
  type Summarising,
  type SummaryResult,
  type Tools,
  type Transition,
  WAITING,
} from '../state.ts';
import { type OverflowCheck } from '../overflow.ts';
import { applySummary, type PivotStep } from './end-pivot.ts';

/** Tests if the loop may go on although a check found an overflow: its summary is written beside it. */
export function mayGoOn({ policy, limits }: LoopState, { countTokens }: OverflowCheck): boolean {
  const { background, outputCapTokens } = policy.trigger;
  if (background === undefined) return false;
  const { usable, comparison } = overflowRules[background.blocksAt];
  const usableTokens = usable(limits, { outputCapTokens });
  return comparison === '>' ? countTokens <= usableTokens : countTokens < usableTokens;
}

/** Tests if a summary that was written beside the loop takes effect before the next request. */
export function isSwapDue({ policy, background }: LoopState): boolean {
  const { swapAfterSteps = 0 } = policy.trigger.background ?? {};
  return background !== undefined && background.steps >= swapAfterSteps;
}

/** Keeps a summary until it takes effect. */
export function holdSummary(
  state: LoopState,
  phase: Summarising,
  result: SummaryResult,
): PivotStep {
  const background = { phase, result, steps: 0 };
  return { state: 'held', next: changeState(state, { background, phase: WAITING }) };
}

/** Puts a kept summary in the place of its head; all that came since it was asked for stays. */
export function applyHeld(
  { phase, result }: NonNullable<LoopState['background']>,
  state: LoopState,
  tools: Tools,
): PivotStep & { readonly state: 'compacted' } {
  const before = historyOf(state);
  const first = itemAt(before, phase.insertAt);
  const tailStartId = phase.cut.tailStartId ?? first?.id;
  const marker = phase.marker && { ...phase.marker, createdAt: tools.now };
  const history = marker === undefined ? before : grow(before, marker);
  const cut = tailStartId === undefined ? phase.cut : { ...phase.cut, tailStartId };
  return applySummary(
    changeState(state, { history }),
    { ...phase, insertAt: history.length, cut },
    { result, tools },
  );
}

/** The state right before a summary took its head's place; one written beside the loop is shown as if it had waited for its answer. */
export function stateBeforePivot(before: LoopState, next: Transition): LoopState {
  const phase = before.background?.phase;
  const pivot = next.events.find((event) => event.type === 'compacted');
  if (phase === undefined || pivot?.markerId !== phase.markerId) return before;
  const history = historyOf(next.state);
  const markerIndex = findNewest(history, ({ id }) => id === phase.markerId);
  return changeState(before, { history: firstItems(history, markerIndex + 1), phase });
}
