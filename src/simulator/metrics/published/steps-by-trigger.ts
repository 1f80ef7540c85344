import type { SessionSample, StepSample } from '../../session/statistics/sample.ts';

/** Who began a step: a prompt, or results of tools. */
export type Trigger = 'user' | 'tools';

/** A step, and who began it. */
export interface TriggeredStep extends StepSample {
  readonly trigger: Trigger;
}

/** The steps of a session; those before the first prompt are taken for begun by tools. */
export function triggeredSteps({ steps, turns }: SessionSample): readonly TriggeredStep[] {
  const firsts = firstSteps(
    turns.map((turn) => turn.steps),
    steps.length,
  );
  return steps.map((step, index) => ({ ...step, trigger: firsts.has(index) ? 'user' : 'tools' }));
}

/** Who began the step before which each full compaction happened, in order; a session that ends with one does not tell of it. */
export function compactionTriggers(sample: SessionSample): readonly Trigger[] {
  const steps = triggeredSteps(sample);
  let index = 0;
  return sample.compactions.flatMap(({ kind, stepsBefore }) => {
    if (kind !== 'full') return [];
    index += stepsBefore;
    return steps[index]?.trigger ?? [];
  });
}

/** Places of the first steps of turns, which end with the last step. */
function firstSteps(stepsOfTurns: readonly number[], count: number): ReadonlySet<number> {
  const firsts = new Set<number>();
  let place = count;
  for (const steps of stepsOfTurns.toReversed()) {
    place -= steps;
    if (steps > 0) firsts.add(place);
  }
  return firsts;
}
