/** Checks of the laws by moment: append, prune, pivot and request. */

import type { AppendFacts, PivotFacts, PruneFacts, RequestFacts } from './law.ts';
import { changedBy, clearedIn } from './prune-laws.ts';
import { createRequestChecker } from './request-checker.ts';
import { findBroken, HELD, type Violation } from './violations.ts';

/** A history on both sides of a prune pass, and what that had planned. */
export type PlannedChange = Pick<PruneFacts, 'before' | 'after' | 'plan'>;

/** Laws that any transition obeys. */
export function checkAppend(facts: AppendFacts): readonly Violation[] {
  return findBroken('append', facts);
}

/** Whether a pass changed nothing and was not to change anything, which breaks no law. */
export function changesNothing({ before, after, plan }: PlannedChange): boolean {
  return plan.state !== 'fire' && before === after;
}

/** Laws that a prune pass obeys, whether it fires or not. */
export function checkPrune(facts: PruneFacts): readonly Violation[] {
  if (changesNothing(facts)) return HELD;
  const changed = changedBy(facts);
  return findBroken('prune', { ...facts, changed, cleared: clearedIn(changed, facts) });
}

/** Laws that the end of a summary obeys, good or bad. */
export function checkPivot(facts: PivotFacts): readonly Violation[] {
  return findBroken('pivot', facts);
}

/** Laws that a request obeys, all of it. */
export function checkRequest(facts: RequestFacts): readonly Violation[] {
  return createRequestChecker()(facts);
}
