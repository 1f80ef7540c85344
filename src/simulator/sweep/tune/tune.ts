import type {
  NamedSettings,
  Objective,
  TunedCells,
  TunedSessions,
  TuneReport,
} from '../../report/tune/tune-report.ts';
import { countOf } from '../../report/numbers.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { findSensitivity } from './find-sensitivity.ts';
import { type Constraint, describeConstraint, findOutside } from './constraint.ts';
import { describeAdvice } from './describe-advice.ts';
import {
  describeFront,
  describeKnee,
  describePoints,
  type Landscape,
  settingsOf,
  shareWithoutKnee,
} from './describe-front.ts';
import { describeVolume } from './describe-volume.ts';
import { describeToday } from './describe-today.ts';
import type { Family } from './family.ts';
import { countUnlisted } from './front-members.ts';
import { findObstacle } from './feasibility.ts';
import { type Matrix, meanPoints, resampleFront, toMatrix } from './resample.ts';
import { type SizedSession, type Split, splitSessions } from './split-sessions.ts';
import {
  type Observation,
  type TableCell,
  toTable,
  type TuneCell,
  type TuneTable,
} from './tune-table.ts';

/** What is tuned, and how. */
export interface TuneOptions {
  readonly cells: readonly TuneCell[];
  /** Id of the cell of today's settings, and what they are. */
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  /** Id of the cell that never compacts, which is not in the grid; absent where nobody ran it. */
  readonly control?: string | undefined;
  /** The settings that vary. */
  readonly varied: readonly SettingName[];
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  /** Share of the sessions that the outcome is reported on. */
  readonly heldOutShare: number;
  readonly seed: number;
}

/** What tuning found, but for what only the command line knows. */
export type Tuned = Omit<
  TuneReport,
  'policy' | 'model' | 'summarizer' | 'mode' | 'origin' | 'unread'
>;

/** What tuning found, or why nothing can be said. */
export type TuneOutcome =
  | { readonly state: 'tuned'; readonly tuned: Tuned }
  | { readonly state: 'inconclusive'; readonly reason: string };

/** By which sessions are spread over both parts. */
export const SIZE_METRIC = 'inputTokens';

/** Why nothing can be said, as far as it is told. */
const MOST_REASONS = 3;

/** Finds the front, its knee and what speaks for a change. */
export function tune(observations: readonly Observation[], options: TuneOptions): TuneOutcome {
  const table = toTable(options.cells, observations, {
    today: options.today,
    outside: findOutside(options.today.settings, options.constraints),
    objectives: options.objectives.map(({ metric }) => metric),
  });
  if (table.sessions.length > 0)
    return { state: 'tuned', tuned: tuneTable(table, observations, options) };
  return { state: 'inconclusive', reason: describeReasons(table) };
}

function describeReasons({ leftOut }: TuneTable): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  const others = reasons.length - MOST_REASONS;
  return [
    ...reasons.slice(0, MOST_REASONS),
    ...(reasons.length === 0 ? ['there is no session'] : []),
    ...(others > 0 ? [`and ${countOf(others, 'other reason')}`] : []),
  ].join('; ');
}

function tuneTable(
  table: TuneTable,
  observations: readonly Observation[],
  options: TuneOptions,
): Tuned {
  const { objectives, constraints, seed } = options;
  const control = runsOfControl(observations, options);
  const split = splitSessions(sizesOf(table, control), { share: options.heldOutShare, seed });
  const obstacles = findObstacles(table, split.tuning.flat(), options);
  const feasible = table.cells.filter(({ id }) => !obstacles.has(id));
  const matrix = toMatrix(feasible, split.tuning, objectives);
  const resampled = resampleFront(matrix, split.tuning.length, seed);
  const landscape: Landscape = {
    ...options,
    cells: feasible,
    grid: options.cells,
    points: meanPoints(matrix),
    resampled,
  };
  const knee = describeKnee(landscape);
  const known = describePoints(landscape);
  const volume = describeVolume(landscape, {
    matrix,
    control: controlOf(control, split.tuning, options),
    families: split.tuning.length,
    seed,
  });
  return {
    seed,
    objectives,
    constraints: constraints.map(describeConstraint),
    sessions: { ...countSessions(split, table), askedShare: options.heldOutShare },
    cells: { ...countCells(table, options, obstacles), feasible: known },
    resamples: resampled.resamples,
    today: describeToday(landscape, { table, tuning: split.tuning }),
    front: describeFront(landscape, known, split.tuning),
    unlisted: countUnlisted(landscape),
    ...(knee !== undefined && { knee }),
    withoutKnee: shareWithoutKnee(resampled),
    ...(volume !== undefined && { volume }),
    sensitivity: findSensitivity(landscape, { distinct: table.cells, all: options.cells }),
    advice: describeAdvice(landscape, { table, split, options }),
  };
}

/** What never compacting came to, by session; nothing where nobody ran it. */
function runsOfControl(
  observations: readonly Observation[],
  { control }: TuneOptions,
): TableCell['observations'] {
  const own = observations.filter(({ cell }) => cell === control);
  return new Map(own.map((observation) => [observation.session, observation]));
}

/** The same in the sign of points; not a number where it is unknown. */
function controlOf(
  observations: TableCell['observations'],
  families: readonly Family[],
  { objectives }: TuneOptions,
): Matrix[number] {
  const cell = { id: '', settings: {}, isToday: false, same: [], observations };
  return toMatrix([cell], families, objectives)[0] ?? [];
}

/** By the control, which no setting of a policy touches: whatever is set today, the same sessions are held out. */
function sizesOf(
  { cells, sessions }: TuneTable,
  control: TableCell['observations'],
): readonly SizedSession[] {
  const [first] = cells;
  return sessions.map((session) => {
    const own = first?.observations.get(session);
    const { values } = control.get(session) ?? own ?? {};
    return { session, family: own?.family, size: values?.[SIZE_METRIC] ?? 0 };
  });
}

function countSessions(
  { tuning, heldOut }: Split,
  { leftOut }: TuneTable,
): Omit<TunedSessions, 'askedShare'> {
  return {
    tuning: tuning.flat().length,
    heldOut: heldOut.flat().length,
    families: { tuning: tuning.length, heldOut: heldOut.length },
    names: { tuning: tuning.flat(), heldOut: heldOut.flat() },
    leftOut,
  };
}

/**
 * What keeps cells from being chosen, by id: a run tuned on that did not go well, or a metric out of the range that it
 * is to have over all sessions.
 */
function findObstacles(
  { cells, sessions: all }: TuneTable,
  tuning: readonly string[],
  { constraints }: TuneOptions,
): ReadonlyMap<string, string> {
  return new Map(
    cells.flatMap((cell) => {
      const obstacle = findObstacle(cell, { sessions: tuning, all, constraints });
      return obstacle === undefined ? [] : [[cell.id, obstacle] as const];
    }),
  );
}

function countCells(
  { cells }: TuneTable,
  options: TuneOptions,
  obstacles: ReadonlyMap<string, string>,
): Omit<TunedCells, 'feasible'> {
  return {
    all: options.cells.length,
    distinct: cells.length,
    infeasible: cells.flatMap((cell) => {
      const reason = obstacles.get(cell.id);
      return reason === undefined ? [] : [{ settings: settingsOf(cell, options), reason }];
    }),
  };
}
