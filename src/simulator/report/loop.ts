/** Whether recorded steps were replayed as they are, or what was lost was read again. */
export type Loop = 'open' | 'closed';

/** What a loop means for the numbers, in a sentence. */
export function describeLoop(loop: Loop): string {
  return loop === 'open'
    ? 'Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.'
    : 'Closed loop: a scripted agent reads again what was lost. Not comparable with numbers of an open loop.';
}
