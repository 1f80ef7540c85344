import { groupBy } from '../../group-by.ts';
import type { EffectiveCell } from './effective-key.ts';
import type { TaskRun } from './task.ts';
import { compareThresholds } from './thresholds.ts';

/** What a run can read of its cell. */
export type ReadRun = (run: TaskRun) => EffectiveCell;

/** Runs in the order in which most of them tell of later ones: family by family, small thresholds first. */
export function tightestFirst(runs: readonly TaskRun[], readRun: ReadRun): readonly TaskRun[] {
  const families = groupBy(runs, (run) => readRun(run).family);
  return [...families.values()].flatMap((family) =>
    family.toSorted((one, other) =>
      compareThresholds(readRun(one).thresholds, readRun(other).thresholds),
    ),
  );
}
