import type { Advice, ObjectiveOutcome } from '../../report/tune/tune-report.ts';
import { settingsOf } from './describe-front.ts';
import { findObstacle } from './feasibility.ts';
import { advise, compareCells } from './outcome.ts';
import type { Split } from './split-sessions.ts';
import type { TuneOptions } from './tune.ts';
import type { TableCell, TuneTable } from './tune-table.ts';

/** What an advice is drawn from. */
export interface AdviceSources {
  readonly table: TuneTable;
  readonly split: Split;
  readonly options: TuneOptions;
}

/**
 * What the knee brings against today's settings, on sessions that it was not chosen on where there are any. The
 * constraints are held against all sessions: nothing is advised that breaks one.
 */
export function describeAdvice(
  knee: TableCell | undefined,
  { table, split, options }: AdviceSources,
): Advice {
  const isHeldOut = split.heldOut.length > 0;
  const sessions = isHeldOut ? split.heldOut : split.tuning;
  const today = table.cells.find(({ isToday }) => isToday);
  const brokenBy = (cell: TableCell | undefined): readonly string[] => {
    const obstacle = cell && findObstacle(cell, table.sessions, options.constraints);
    return obstacle === undefined ? [] : [obstacle];
  };
  const [broken, brokenByToday] = [brokenBy(knee), brokenBy(today)];
  if (knee === undefined || today === undefined) {
    const nothing = { isHeldOut, outcomes: [], settings: {} };
    return { state: 'nothing feasible', ...nothing, broken, brokenByToday };
  }
  const outcomes = compareCells(knee, today, { sessions, ...options });
  return {
    state: stateOf({ outcomes, broken, brokenByToday, isToday: knee.isToday }),
    isHeldOut,
    outcomes,
    broken,
    brokenByToday,
    settings: settingsOf(knee, options),
  };
}

function stateOf({
  outcomes,
  broken,
  brokenByToday,
  isToday,
}: Pick<Advice, 'broken' | 'brokenByToday'> & {
  readonly outcomes: readonly ObjectiveOutcome[];
  readonly isToday: boolean;
}): Advice['state'] {
  if (broken.length > 0) return brokenByToday.length > 0 ? 'nothing feasible' : 'keep';
  if (brokenByToday.length > 0) return 'change';
  return isToday ? 'keep' : advise(outcomes);
}
