import type { RunMode } from '../events.ts';

/** What the mode of runs means for their numbers, in a sentence. */
export function describeMode(mode: RunMode): string {
  return mode === 'open-loop'
    ? 'Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.'
    : 'Closed loop: a scripted agent re-reads what was lost. Not comparable with open-loop numbers.';
}
