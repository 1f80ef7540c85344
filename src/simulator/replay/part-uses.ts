import { type LoopInput, type PartUses, perKey } from '../../engine/index.ts';
import { addToGroup } from '../group-by.ts';
import type { References } from './references/reference.ts';
import type { Trace } from './trace.ts';

/** When the outputs of a trace are needed, from whichever step on one looks ahead. */
export type UsesFrom = (step: number) => PartUses;

/** Looks up when outputs were written and are needed; a step needs one if a reference of its says so. */
export function createPartUses(
  { turns, references }: Pick<Trace, 'turns' | 'references'>,
  seed: number,
): UsesFrom {
  const written = writtenIn(turns);
  const needed = neededIn(references().all);
  return (step) => ({
    seed,
    upcoming: (partId) => (needed.get(partId) ?? []).filter((use) => use >= step),
    newest: (partId) => needed.get(partId)?.findLast((use) => use < step) ?? written.get(partId),
  });
}

/** Runs of a trace ask the same of it. */
const writtenIn = perKey(writtenAt);
const neededIn = perKey(neededAt);

/** The first step that is still to come after an input; one that was not answered is. */
export function nextStep(newestStep: number, { type }: Pick<LoopInput, 'type'>): number {
  return type === 'step-refused' || type === 'aborted' ? newestStep : newestStep + 1;
}

function writtenAt(turns: Trace['turns']): ReadonlyMap<string, number> {
  const steps = turns.flatMap((turn) => turn.steps);
  return new Map(
    steps.flatMap(({ message }, index) =>
      message.parts.map((part) => [part.id, index + 1] as const),
    ),
  );
}

function neededAt(references: References['all']): ReadonlyMap<string, readonly number[]> {
  const needed = new Map<string, number[]>();
  for (const { step, source } of references) {
    if (source.side === 'output') addToGroup(needed, source.partId, step);
  }
  return needed;
}
