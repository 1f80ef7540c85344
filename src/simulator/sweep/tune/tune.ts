import { canonicalJson } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { countOf } from '../../report/numbers.ts';
import type { NamedSettings, Objective, Tried, TuneReport } from '../../report/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { describeAdvice } from './advice.ts';
import { type Constraint, describeConstraint, findOutside } from './constraint.ts';
import {
  countUnlisted,
  describeFront,
  describePoints,
  describeToday,
  type Landscape,
  settingsOf,
} from './describe-front.ts';
import { meanPoints, type SizedSession, type Split, splitSessions, toMatrix } from './split.ts';
import {
  findObstacle,
  type Observation,
  type TableCell,
  toTable,
  type TuneCell,
  type TuneTable,
} from './tune-table.ts';

/** The grid, objectives and constraints of a search. */
export interface TuneOptions {
  readonly cells: readonly TuneCell[];
  /** Id of the cell of today's settings, and what they are. */
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  /** Id of the cell that never compacts, which is not in the grid; absent where nobody ran it. */
  readonly control?: string | undefined;
  /** The settings that vary. */
  readonly varied: readonly SettingName[];
  /** Every setting that was screened; absent where a person says what varies. */
  readonly tried?: readonly Tried[] | undefined;
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  /** Share of the sessions that the outcome is reported on. */
  readonly heldOutShare: number;
  readonly seed: number;
}

/** The findings of a search, without what only the command line knows. */
export type Tuned = Omit<
  TuneReport,
  'policy' | 'model' | 'summarizer' | 'mode' | 'origin' | 'trigger' | 'unread'
>;

/** The findings of a search, or why it is inconclusive. */
type TuneOutcome =
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
  const points = meanPoints(toMatrix(feasible, split.tuning, objectives));
  const landscape: Landscape = { ...options, cells: feasible, points };
  const known = describePoints(landscape);
  const { advice, verdict, others } = describeAdvice(landscape, { table, split, options });
  return {
    verdict,
    others,
    seed,
    objectives,
    constraints: constraints.map(describeConstraint),
    sessions: { ...countSessions(split, table), askedShare: options.heldOutShare },
    cells: { ...countCells(table, options, obstacles), feasible: known },
    today: describeToday(landscape, { table, tuning: split.tuning }),
    front: describeFront(landscape, known, split.tuning),
    unlisted: countUnlisted(landscape),
    tried: options.tried ?? options.varied.map((name) => toTried(name, table, options)),
    advice,
  };
}

/** A setting that was varied, and whether any value of it changes what happens. */
function toTried(setting: SettingName, table: TuneTable, options: TuneOptions): Tried {
  return { setting, matters: !isDead(setting, table, options), isVaried: true, leastCost: null };
}

/** With all other settings held, every value of it leads to the same events; of one value nothing can be said. */
function isDead(setting: SettingName, table: TuneTable, { cells, today }: TuneOptions): boolean {
  const standsFor = new Map(table.cells.flatMap(({ id, same }) => same.map((one) => [one, id])));
  const spelt = cells.map((cell) =>
    cell.id === today.id ? { ...cell, settings: today.settings } : cell,
  );
  const groups = [...groupByOthers(setting, spelt).values()].filter(
    (group) => new Set(group.map(({ settings }) => settings[setting])).size > 1,
  );
  return (
    groups.length > 0 &&
    groups.every((group) => new Set(group.map(({ id }) => standsFor.get(id))).size === 1)
  );
}

/** Cells that differ in nothing but one setting stand together. */
function groupByOthers<Point extends Pick<TuneCell, 'settings'>>(
  setting: SettingName,
  cells: readonly Point[],
): ReadonlyMap<string, readonly Point[]> {
  return groupBy(cells, ({ settings: { [setting]: own, ...others } }) =>
    own === undefined ? undefined : canonicalJson(others),
  );
}

/** Runs of never compacting, by session; empty if nobody ran it. */
function runsOfControl(
  observations: readonly Observation[],
  { control }: TuneOptions,
): TableCell['observations'] {
  const own = observations.filter(({ cell }) => cell === control);
  return new Map(own.map((observation) => [observation.session, observation]));
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

/** Reasons against choosing a cell, by id: a tuned run that went wrong, or a metric out of range over all sessions. */
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

function countSessions(
  { tuning, heldOut }: Split,
  { leftOut }: TuneTable,
): Omit<TuneReport['sessions'], 'askedShare'> {
  return {
    tuning: tuning.flat().length,
    heldOut: heldOut.flat().length,
    families: { tuning: tuning.length, heldOut: heldOut.length },
    names: { tuning: tuning.flat(), heldOut: heldOut.flat() },
    leftOut,
  };
}

function countCells(
  { cells }: TuneTable,
  options: TuneOptions,
  obstacles: ReadonlyMap<string, string>,
): Omit<TuneReport['cells'], 'feasible'> {
  return {
    all: options.cells.length,
    distinct: cells.length,
    infeasible: cells.flatMap((cell) => {
      const reason = obstacles.get(cell.id);
      return reason === undefined ? [] : [{ settings: settingsOf(cell, options), reason }];
    }),
  };
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
