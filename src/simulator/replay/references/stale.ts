/** Counts the tokens of visible outputs whose file has changed since. */

import type { SpoiltOutput } from './shown-in.ts';
import { hasWhole, type Visible } from './visible.ts';

/** Counts the tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  visibleTokens: number;
  /** By the number of their part; absent before the first. */
  outputs: Map<number, CountedOutput> | undefined;
}

interface CountedOutput {
  readonly tokens: number;
  isVisible: boolean;
}

/** The count of a run that has not begun. */
export function startStale(): StaleCount {
  return { visibleTokens: 0, outputs: undefined };
}

/** An output is visible, by the number of its part. */
export function showStale(stale: StaleCount, part: number): void {
  const output = stale.outputs?.get(part);
  if (output === undefined || output.isVisible) return;
  output.isVisible = true;
  stale.visibleTokens += output.tokens;
}

/** An output is visible no more, by the number of its part. */
export function hideStale(stale: StaleCount, part: number): void {
  const output = stale.outputs?.get(part);
  if (output === undefined || !output.isVisible) return;
  output.isVisible = false;
  stale.visibleTokens -= output.tokens;
}

/** What a message wrote makes outputs stale. */
export function addStale(
  stale: StaleCount,
  spoilt: readonly SpoiltOutput[],
  visible: Visible,
): void {
  for (const { part, tokens } of spoilt) {
    hideStale(stale, part);
    stale.outputs ??= new Map();
    stale.outputs.set(part, { tokens, isVisible: false });
    if (hasWhole(visible, part)) showStale(stale, part);
  }
}
