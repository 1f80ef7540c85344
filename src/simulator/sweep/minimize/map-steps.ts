import type { Outline, OutlineStep } from './outline.ts';

/** An outline with other steps in the place of its own. */
export function mapSteps(
  { turns, ...outline }: Outline,
  toStep: (step: OutlineStep, turnIndex: number, stepIndex: number) => OutlineStep,
): Outline {
  return {
    ...outline,
    turns: turns.map((turn, turnIndex) => ({
      ...turn,
      steps: turn.steps.map((step, stepIndex) => toStep(step, turnIndex, stepIndex)),
    })),
  };
}
