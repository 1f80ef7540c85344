import type { EffectiveCell } from './effective-key.ts';
import type { TaskRun } from './task.ts';
import { compareThresholds } from './thresholds.ts';

/** What a run can read of its cell. */
export type ReadRun = (run: TaskRun) => EffectiveCell;

/** Runs in the order in which most of them tell of later ones: family by family, small thresholds first. */
export function tightestFirst(runs: readonly TaskRun[], readRun: ReadRun): readonly TaskRun[] {
  const families = new Map<string, TaskRun[]>();
  for (const run of runs) {
    const { family } = readRun(run);
    const known = families.get(family);
    if (known === undefined) families.set(family, [run]);
    else known.push(run);
  }
  return [...families.values()].flatMap((family) =>
    family.toSorted((one, other) =>
      compareThresholds(readRun(one).thresholds, readRun(other).thresholds),
    ),
  );
}
