/** Whether recorded steps were replayed as they are, or what was lost was read again. */
export type Loop = 'open' | 'closed';

/** What a loop means for the numbers, in a sentence. */
export function describeLoop(loop: Loop): string {
  return loop === 'open'
    ? 'Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.'
    : 'Closed loop: a scripted agent re-reads what was lost. Not comparable with open-loop numbers.';
}
