import { estimateChange, judgeDifference } from '../../metrics/statistics/judge-difference.ts';
import { type Pair, pairMeans } from '../../metrics/statistics/mean-difference.ts';
import { judgeTogether } from '../../metrics/statistics/verdict.ts';
import { countOf } from '../../report/numbers.ts';
import { changedSettings } from '../../report/tune-advice.ts';
import {
  type Advice,
  ADVICE_STATES,
  type Candidate,
  isWorse,
  type NamedSettings,
  type Objective,
  type ObjectiveOutcome,
  type TunedCells,
  type TunedSessions,
  type TuneReport,
} from '../../report/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { type Constraint, describeConstraint, findOutside } from './constraint.ts';
import {
  countUnlisted,
  describeFront,
  describeKnee,
  describePoints,
  describeToday,
  describeVolume,
  findMembers,
  type Landscape,
  settingsOf,
  shareWithoutKnee,
} from './describe-front.ts';
import { almostDominates, dominates, EPSILON, findKnee, paretoFront } from './front.ts';
import {
  type Matrix,
  meanPoints,
  resampleFront,
  type SizedSession,
  type Split,
  splitSessions,
  toMatrix,
} from './resample.ts';
import { findSensitivity } from './sensitivity.ts';
import {
  type Family,
  findObstacle,
  isSound,
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
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  /** Share of the sessions that the outcome is reported on. */
  readonly heldOutShare: number;
  readonly seed: number;
}

/** The findings of a search, without what only the command line knows. */
export type Tuned = Omit<
  TuneReport,
  'policy' | 'model' | 'summarizer' | 'mode' | 'origin' | 'unread'
>;

/** The findings of a search, or why it is inconclusive. */
type TuneOutcome =
  | { readonly state: 'tuned'; readonly tuned: Tuned }
  | { readonly state: 'inconclusive'; readonly reason: string };

/** The sources of an advice. */
interface AdviceSources {
  readonly table: TuneTable;
  readonly split: Split;
  readonly options: TuneOptions;
}

/** A cell that is compared with today's. */
interface Chosen {
  readonly cell: TableCell;
  readonly isKnee: boolean;
  /** True if it is no knee and does not dominate today's. */
  readonly isTrade: boolean;
}

/** A pair whose cluster is its family. */
type ClusteredPair = Required<Pair>;

/** By which sessions are spread over both parts. */
export const SIZE_METRIC = 'inputTokens';

/** Why nothing can be said, as far as it is told. */
const MOST_REASONS = 3;

/** Of a front without a knee, so many members are compared with today's settings. */
const MOST_COMPARED = 3;

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

/**
 * The advice on a member that does not dominate today's settings. Means that contradict another objective make it a trade-off,
 * whatever the verdict; the verdict on cost is of a ratio, in which many similar sessions outweigh a dear one.
 */
export function adviseTrade(outcomes: readonly ObjectiveOutcome[]): Advice['state'] {
  const state = advise(outcomes);
  const isAgainst =
    (state === 'change' && outcomes.some((outcome) => gainOf(outcome) < -EPSILON)) ||
    (state === 'keep' && outcomes.some((outcome) => gainOf(outcome) > EPSILON));
  return isAgainst ? 'trade-off' : state;
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

/** The same in the sign of points; not a number where it is unknown, as of runs that cannot exist. */
function controlOf(
  control: TableCell['observations'],
  families: readonly Family[],
  { objectives }: TuneOptions,
): Matrix[number] {
  const possible = [...control].filter(([, { state }]) => state !== 'impossible');
  const observations = new Map(possible);
  const cell = { id: '', settings: {}, isToday: false, same: [], observations };
  return toMatrix([cell], families, objectives)[0] ?? [];
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

/**
 * Compares the knee with today's settings, on held-out sessions if there are any; on a front without a knee its other members.
 * Constraints apply to all sessions.
 */
function describeAdvice(landscape: Landscape, sources: AdviceSources): Advice {
  const { table, split } = sources;
  const isHeldOut = split.heldOut.length > 0;
  const today = table.cells.find(({ isToday }) => isToday);
  const brokenByToday = today === undefined ? [] : findBroken(today, sources);
  const common = { isHeldOut, brokenByToday };
  if (landscape.cells.length === 0 || today === undefined) {
    return { state: 'nothing feasible', ...common, compared: [], settings: {} };
  }
  const chosen = findCandidates(landscape);
  const judged = judgeAll(
    chosen.map(({ cell }) => (cell.isToday ? [] : compareOn(cell, today, sources))),
  );
  const compared = chosen.map((candidate, index): Candidate => {
    const { cell, isKnee } = candidate;
    const outcomes = judged[index] ?? [];
    const broken = findBroken(cell, sources);
    const state = stateOf({ ...candidate, outcomes, broken, brokenByToday });
    return { settings: settingsOf(cell, landscape), isKnee, state, outcomes, broken };
  });
  const [decisive] = ADVICE_STATES.flatMap(
    (state) => compared.find((one) => one.state === state) ?? [],
  );
  const otherwise = brokenByToday.length > 0 ? 'nothing feasible' : 'keep';
  const cell = decisive && chosen[compared.indexOf(decisive)]?.cell;
  return {
    state: decisive?.state ?? otherwise,
    ...common,
    compared,
    ...(cell === undefined
      ? { settings: landscape.today.settings }
      : settingsToChange(cell, landscape, sources)),
  };
}

function findBroken(cell: TableCell, { table, options }: AdviceSources): readonly string[] {
  const obstacle = findObstacle(cell, {
    sessions: table.sessions,
    all: table.sessions,
    constraints: options.constraints,
  });
  return obstacle === undefined ? [] : [obstacle];
}

/** The knee; without one the first members other than today's. */
function findCandidates(landscape: Landscape): readonly Chosen[] {
  const { cells, points } = landscape;
  const knee = findKnee(paretoFront(points), points);
  if (knee !== undefined) {
    return cells.slice(knee, knee + 1).map((cell) => ({ cell, isKnee: true, isTrade: false }));
  }
  const today = points[cells.findIndex(({ isToday }) => isToday)];
  return findMembers(landscape)
    .flatMap((index) => {
      const isTrade = today !== undefined && !dominates(points[index] ?? [], today);
      return cells.slice(index, index + 1).map((cell) => ({ cell, isKnee: false, isTrade }));
    })
    .filter(({ cell }) => !cell.isToday)
    .slice(0, MOST_COMPARED);
}

/**
 * Of each candidate: the more there are, and the more is asked of them, the likelier one looks better by chance. What is
 * worse by itself stays so, for nobody is to be told that nothing is.
 */
function judgeAll(
  lists: readonly (readonly ObjectiveOutcome[])[],
): readonly (readonly ObjectiveOutcome[])[] {
  const judged = [...judgeTogether(lists.flat(), isWorse)];
  return lists.map(({ length }) => judged.splice(0, length));
}

function compareOn(
  cell: TableCell,
  today: TableCell,
  { split, options }: AdviceSources,
): readonly ObjectiveOutcome[] {
  const families = split.heldOut.length > 0 ? split.heldOut : split.tuning;
  return compareCells(cell, today, { families, ...options });
}

/** One cell against today's, on those sessions that went well under both; of objectives without any there is no outcome. */
function compareCells(
  tuned: TableCell,
  today: TableCell,
  {
    families,
    objectives,
    seed,
  }: {
    readonly families: readonly Family[];
    readonly objectives: readonly Objective[];
    readonly seed: number;
  },
): readonly ObjectiveOutcome[] {
  return objectives.flatMap((objective) => {
    const pairs = families.flatMap((family, index) =>
      family.flatMap((session): readonly ClusteredPair[] => {
        const a = amountOf(objective, today.observations.get(session));
        const b = amountOf(objective, tuned.observations.get(session));
        return a === null || b === null ? [] : [{ a, b, cluster: String(index) }];
      }),
    );
    return outcomeOf(objective, pairs, seed);
  });
}

/** A refused or shortened run came to less than the whole session would have. */
function amountOf({ metric }: Objective, run: Observation | undefined): number | null {
  return run !== undefined && isSound(run) ? (run.values[metric] ?? null) : null;
}

function outcomeOf(
  objective: Objective,
  pairs: readonly ClusteredPair[],
  seed: number,
): readonly ObjectiveOutcome[] {
  const { metric } = objective;
  const change = estimateChange(metric, pairs, { seed });
  if (change === undefined) return [];
  const means = pairMeans(pairs);
  const verdict = judgeDifference(metric, pairs, change.estimate.interval);
  const counts = {
    sessions: pairs.length,
    families: new Set(pairs.map(({ cluster }) => cluster)).size,
  };
  return [{ objective, ...counts, today: means.a, tuned: means.b, ...change, verdict }];
}

function stateOf({
  outcomes,
  broken,
  brokenByToday,
  cell,
  isTrade,
}: Chosen &
  Pick<Candidate, 'broken' | 'outcomes'> &
  Pick<Advice, 'brokenByToday'>): Advice['state'] {
  if (broken.length > 0) return brokenByToday.length > 0 ? 'nothing feasible' : 'keep';
  if (brokenByToday.length > 0) return 'change';
  if (cell.isToday) return 'keep';
  return isTrade ? adviseTrade(outcomes) : advise(outcomes);
}

/** The advice of outcomes: a change if something is better and nothing worse. */
function advise(outcomes: readonly ObjectiveOutcome[]): Advice['state'] {
  const better = outcomes.some((outcome) => isBetter(outcome));
  const worse = outcomes.some((outcome) => isWorse(outcome));
  if (better) return worse ? 'trade-off' : 'change';
  if (worse) return 'keep';
  return outcomes.every(({ verdict }) => verdict === 'too few') ? 'too few' : 'within noise';
}

function isBetter({ objective, verdict }: ObjectiveOutcome): boolean {
  return verdict === objective.better;
}

/** The changes from today's settings, without those that make no difference. */
function settingsToChange(
  cell: TableCell,
  landscape: Landscape,
  sources: AdviceSources,
): Pick<Advice, 'settings' | 'needless'> {
  const settings = settingsOf(cell, landscape);
  const simplest = simplestLike(cell, landscape);
  if (findBroken(simplest, sources).length > 0) return { settings };
  const needed = settingsOf(simplest, landscape);
  const today = landscape.today.settings;
  const changed = changedSettings(needed, today);
  const needless = Object.keys(changedSettings(settings, today)).filter(
    (name) => !Object.hasOwn(changed, name),
  );
  return { settings: needed, ...(needless.length > 0 && { needless }) };
}

/**
 * Of the cells that are nowhere worse than one by more than the share that counts as none, the one that changes the
 * fewest of today's settings; today's cell, which changes none, is not among them.
 */
function simplestLike(cell: TableCell, landscape: Landscape): TableCell {
  const { cells, points, today } = landscape;
  const own = points[cells.indexOf(cell)] ?? [];
  const changesOf = (one: TableCell) =>
    Object.keys(changedSettings(settingsOf(one, landscape), today.settings)).length;
  const alike = cells.filter(
    (other, index) => !other.isToday && almostDominates(points[index] ?? [], own),
  );
  const [simplest = cell] = alike.toSorted((one, other) => changesOf(one) - changesOf(other));
  return changesOf(simplest) < changesOf(cell) ? simplest : cell;
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

/** How much better a mean is, as a share of today's. */
function gainOf({ objective, today, tuned }: ObjectiveOutcome): number {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}
