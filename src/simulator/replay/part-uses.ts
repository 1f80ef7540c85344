import type { LoopInput, PartUses } from '../../engine/index.ts';
import { perKey } from '../../engine/internal.ts';
import { addToGroup } from '../lib/collections.ts';
import type { References } from './references/reference.ts';
import type { Trace } from './trace.ts';

/** When the outputs of a run are needed. */
export interface UsesOfRun {
  /** From a step on that looks ahead. */
  from(step: number): PartUses;
  /** What reads a part again is needed whenever that is. */
  addCopy(partId: string, originalId: string): void;
}

/** Runs of a trace ask the same of it. */
const writtenAt = perKey((turns: Trace['turns']): ReadonlyMap<string, number> => {
  const steps = turns.flatMap((turn) => turn.steps);
  return new Map(
    steps.flatMap(({ message }, index) =>
      message.parts.map((part) => [part.id, index + 1] as const),
    ),
  );
});

const neededAt = perKey((references: References['all']): ReadonlyMap<string, readonly number[]> => {
  const needed = new Map<string, number[]>();
  for (const { step, source } of references) {
    if (source.side === 'output') addToGroup(needed, source.partId, step);
  }
  return needed;
});

/** Looks up when outputs were written and are needed; a step needs one if a reference of its says so. */
export function createPartUses(
  { turns, references }: Pick<Trace, 'turns' | 'references'>,
  seed: number,
): UsesOfRun {
  const written = writtenAt(turns);
  const needed = neededAt(references().all);
  const originals = new Map<string, string>();
  const usesOf = (partId: string) => needed.get(originals.get(partId) ?? partId);
  return {
    addCopy: (partId, originalId) => void originals.set(partId, originalId),
    from: (step) => ({
      seed,
      upcoming: (partId) => (usesOf(partId) ?? []).filter((use) => use >= step),
      newest: (partId) => usesOf(partId)?.findLast((use) => use < step) ?? written.get(partId),
    }),
  };
}

/** The first step that is still to come after an input; one that was not answered is. */
export function nextStep(newestStep: number, { type }: Pick<LoopInput, 'type'>): number {
  return type === 'step-refused' || type === 'aborted' ? newestStep : newestStep + 1;
}
