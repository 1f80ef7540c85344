import {
  isSpend,
  estimateChange,
  judgeDifference,
} from '../../metrics/statistics/judge-difference.ts';
import { type Pair, pairMeans } from '../../metrics/statistics/mean-difference.ts';
import { judgeTogether } from '../../metrics/statistics/verdict.ts';
import { changedSettings } from '../../report/tune-advice.ts';
import {
  type Advice,
  ADVICE_STATES,
  type Candidate,
  isBetter,
  isWorse,
  type Objective,
  type ObjectiveOutcome,
  type TuneVerdict,
} from '../../report/tune-report.ts';
import type { Constraint } from './constraint.ts';
import { findMembers, type Landscape, settingsOf } from './describe-front.ts';
import { almostDominates, dominates, EPSILON, findFirst, findKnee, paretoFront } from './front.ts';
import type { Split } from './split.ts';
import {
  type Family,
  findObstacle,
  isSound,
  type Observation,
  type TableCell,
  type TuneTable,
} from './tune-table.ts';
import { describeVerdicts, gainOf, type Verdicts, verdictOnNothing } from './verdict.ts';

/** The sources of an advice. */
export interface AdviceSources {
  readonly table: TuneTable;
  readonly split: Split;
  readonly options: {
    readonly objectives: readonly Objective[];
    readonly constraints: readonly Constraint[];
    readonly seed: number;
  };
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

/** A piece of advice, and the verdicts on it and on the other cells. */
interface Advised extends Verdicts {
  readonly advice: Advice;
}

/** Of a front without a knee, so many members are compared with today's settings. */
const MOST_COMPARED = 3;

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

/**
 * Compares the knee with today's settings, on held-out sessions if there are any; on a front without a knee its other members.
 * Constraints apply to all sessions.
 */
export function describeAdvice(landscape: Landscape, sources: AdviceSources): Advised {
  const { table, split } = sources;
  const today = table.cells.find(({ isToday }) => isToday);
  const brokenByToday = today === undefined ? [] : findBroken(today, sources);
  const common = { isHeldOut: split.heldOut.length > 0, brokenByToday };
  if (landscape.cells.length === 0 || today === undefined) {
    const advice = { state: 'nothing feasible', ...common, compared: [], settings: {} } as const;
    return { advice, ...verdictOnNothing('worse') };
  }
  const judged = judgeCandidates(landscape, today, sources);
  const compared = judged.map(({ chosen, outcomes }): Candidate => {
    const { cell, isKnee } = chosen;
    const broken = findBroken(cell, sources);
    const state = stateOf({ ...chosen, outcomes, broken, brokenByToday });
    return { settings: settingsOf(cell, landscape), isKnee, state, outcomes, broken };
  });
  const [decisive] = ADVICE_STATES.flatMap(
    (state) => compared.find((one) => one.state === state) ?? [],
  );
  const otherwise = brokenByToday.length > 0 ? 'nothing feasible' : 'keep';
  const state = decisive?.state ?? otherwise;
  const cell = decisive && judged[compared.indexOf(decisive)]?.chosen.cell;
  const advised =
    cell === undefined
      ? { settings: landscape.today.settings }
      : settingsToChange(cell, landscape, sources);
  const subject = findSubject(cell, landscape, sources);
  const outcomes =
    decisive !== undefined && subject?.isFallback === false
      ? decisive.outcomes
      : judgeAll([subject ? compareOn(subject.cell, today, sources) : []])[0];
  const { verdict, others } = describeVerdicts({
    advice: state,
    cell: subject?.cell,
    today,
    todaysSettings: landscape.today.settings,
    tried: table.cells.filter((one) => one !== today),
    feasible: landscape.cells,
    isForced: brokenByToday.length > 0,
    outcomes: outcomes ?? [],
    split,
    objective: sources.options.objectives[0],
  });
  const told = brokenByToday.length > 0 ? state : agreeing(state, verdict, sources);
  // The cell that all are judged by may be another one than the front led to.
  const settings =
    told === 'change' ? { ...landscape.today.settings, ...verdict.change } : advised.settings;
  return { advice: { state: told, ...common, compared, ...advised, settings }, verdict, others };
}

/** Advice never contradicts the verdict on cost: nothing is to be written that is not shown to be better. */
function agreeing(
  state: Advice['state'],
  verdict: TuneVerdict,
  { options: { objectives } }: AdviceSources,
): Advice['state'] {
  if (!isSpend(objectives[0]?.metric)) return state;
  if (state === 'change' && verdict.state !== 'better') return 'within noise';
  const isOpen = state === 'within noise' || state === 'too few';
  return isOpen && verdict.state === 'better' ? 'change' : state;
}

/** The cell that a verdict is about: the one advised, in its simplest form, else the best on the first objective besides today's. */
function findSubject(cell: TableCell | undefined, landscape: Landscape, sources: AdviceSources) {
  if (cell !== undefined && !cell.isToday) {
    return { cell: neededCell(cell, landscape, sources), isFallback: false };
  }
  const { cells, points } = landscape;
  const others = [...cells.keys()].filter((index) => cells[index]?.isToday !== true);
  const best = cells[findFirst(others, points) ?? -1];
  return best && { cell: best, isFallback: true };
}

/** The candidates with what each objective comes to under them; today's own needs no comparison. */
function judgeCandidates(landscape: Landscape, today: TableCell, sources: AdviceSources) {
  const chosen = findCandidates(landscape);
  const judged = judgeAll(
    chosen.map(({ cell }) => (cell.isToday ? [] : compareOn(cell, today, sources))),
  );
  return chosen.map((one, index) => ({ chosen: one, outcomes: judged[index] ?? [] }));
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

/** The changes from today's settings, without those that make no difference. */
function settingsToChange(
  cell: TableCell,
  landscape: Landscape,
  sources: AdviceSources,
): Pick<Advice, 'settings' | 'needless'> {
  const settings = settingsOf(cell, landscape);
  const needed = settingsOf(neededCell(cell, landscape, sources), landscape);
  const today = landscape.today.settings;
  const changed = changedSettings(needed, today);
  const needless = Object.keys(changedSettings(settings, today)).filter(
    (name) => !Object.hasOwn(changed, name),
  );
  return { settings: needed, ...(needless.length > 0 && { needless }) };
}

/** The simplest cell like one, unless that breaks a constraint. */
function neededCell(cell: TableCell, landscape: Landscape, sources: AdviceSources): TableCell {
  const simplest = simplestLike(cell, landscape);
  return findBroken(simplest, sources).length > 0 ? cell : simplest;
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
