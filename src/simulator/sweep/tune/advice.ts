import {
  estimateChange,
  isSpend,
  judgeDifference,
} from '../../metrics/statistics/judge-difference.ts';
import { pairMeans } from '../../metrics/statistics/mean-difference.ts';
import { judgeTogether } from '../../metrics/statistics/verdict.ts';
import {
  type Advice,
  ADVICE_STATES,
  type Candidate,
  changedSettings,
  isBetter,
  isWorse,
  type Objective,
  type ObjectiveOutcome,
} from '../../report/tune-report.ts';
import type { Constraint } from './constraint.ts';
import { almostDominates, dominates, EPSILON, findFirst } from './front.ts';
import { findMembers, type Landscape, settingsOf } from './landscape.ts';
import { findObstacle, isSound, type Split, type TableCell, type TuneTable } from './tune-table.ts';
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

type Outcomes = readonly ObjectiveOutcome[];

/** Of a front without a knee, so many members are compared with today's settings. */
const MOST_COMPARED = 3;

/**
 * The advice on a member that does not dominate today's settings. Means that contradict another objective make it a trade-off,
 * whatever the verdict; the verdict on cost is of a ratio, in which many similar sessions outweigh a dear one.
 */
export function adviseTrade(outcomes: Outcomes): Advice['state'] {
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
export function describeAdvice(
  landscape: Landscape,
  sources: AdviceSources,
): Verdicts & { readonly advice: Advice } {
  const { table, split, options } = sources;
  const today = table.cells.find(({ isToday }) => isToday);
  const brokenByToday = today === undefined ? [] : findBroken(today, sources);
  const isForced = brokenByToday.length > 0;
  const common = { isHeldOut: split.heldOut.length > 0, brokenByToday };
  if (landscape.cells.length === 0 || today === undefined) {
    const advice = { state: 'nothing feasible', ...common, compared: [], settings: {} } as const;
    return { advice, ...verdictOnNothing('worse') };
  }
  const chosen = findCandidates(landscape);
  // Today's own needs no comparison.
  const judged = judgeAll(
    chosen.map(({ cell }) => (cell.isToday ? [] : compareCells(cell, today, sources))),
  );
  const compared = chosen.map(({ cell, isKnee, isTrade }, index): Candidate => {
    const broken = findBroken(cell, sources);
    const outcomes = judged[index] ?? [];
    const own = cell.isToday ? 'keep' : isTrade ? adviseTrade(outcomes) : advise(outcomes);
    const ifBroken = isForced ? 'nothing feasible' : 'keep';
    const state = broken.length > 0 ? ifBroken : isForced ? 'change' : own;
    return { settings: settingsOf(cell, landscape), isKnee, state, outcomes, broken };
  });
  const [decisive] = ADVICE_STATES.flatMap(
    (state) => compared.find((one) => one.state === state) ?? [],
  );
  const state = decisive?.state ?? (isForced ? 'nothing feasible' : 'keep');
  const cell = decisive && chosen[compared.indexOf(decisive)]?.cell;
  // A verdict is about the cell advised, in its simplest form, else the best on the first objective besides today's.
  const advised = cell && !cell.isToday ? neededCell(cell, landscape, sources) : undefined;
  const subject = advised ?? bestOther(landscape);
  const outcomes =
    advised && decisive
      ? decisive.outcomes
      : (judgeAll([subject ? compareCells(subject, today, sources) : []])[0] ?? []);
  const [objective] = options.objectives;
  const facts = { advice: state, cell: subject, today, isForced, outcomes, objective };
  const { verdict, others } = describeVerdicts({ ...facts, table, landscape, split });
  // Advice never contradicts the verdict on cost: nothing is to be written that is not shown to be better.
  const isOpen = state === 'within noise' || state === 'too few';
  const isShown = verdict.state === 'better';
  const agreed =
    state === 'change' && !isShown ? 'within noise' : isOpen && isShown ? 'change' : state;
  const told = isForced || !isSpend(objective?.metric) ? state : agreed;
  const { settings: own, needless } = settingsToChange(cell, advised, landscape);
  // The cell that all are judged by may be another one than the front led to.
  const settings = told === 'change' ? { ...landscape.today.settings, ...verdict.change } : own;
  const idle = needless.length > 0 && { needless };
  const advice = { state: told, ...common, compared, settings, ...idle };
  return { advice, verdict, others };
}

/** The advice of outcomes: a change if something is better and nothing worse. */
function advise(outcomes: Outcomes): Advice['state'] {
  const worse = outcomes.some(isWorse);
  if (outcomes.some(isBetter)) return worse ? 'trade-off' : 'change';
  if (worse) return 'keep';
  return outcomes.every(({ verdict }) => verdict === 'too few') ? 'too few' : 'within noise';
}

function findBroken(cell: TableCell, { table, options }: AdviceSources): readonly string[] {
  const { sessions } = table;
  const obstacle = findObstacle(cell, sessions, { sessions, constraints: options.constraints });
  return obstacle === undefined ? [] : [obstacle];
}

/** The knee; without one the first members other than today's. */
function findCandidates(landscape: Landscape): readonly Chosen[] {
  const { cells, points, knee } = landscape;
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
function judgeAll(lists: readonly Outcomes[]): readonly Outcomes[] {
  const judged = [...judgeTogether(lists.flat(), isWorse)];
  return lists.map(({ length }) => judged.splice(0, length));
}

/** One cell against today's, on those sessions that went well under both; of objectives without any there is no outcome. */
function compareCells(
  tuned: TableCell,
  today: TableCell,
  { split, options: { objectives, seed } }: AdviceSources,
): Outcomes {
  const families = split.heldOut.length > 0 ? split.heldOut : split.tuning;
  return objectives.flatMap((objective): Outcomes => {
    const { metric } = objective;
    // A refused or shortened run came to less than the whole session would have.
    const amountOf = ({ observations }: TableCell, session: string) => {
      const run = observations.get(session);
      return run !== undefined && isSound(run) ? (run.values[metric] ?? null) : null;
    };
    const pairs = families.flatMap((family, index) =>
      family.flatMap((session) => {
        const [a = null, b = null] = [today, tuned].map((cell) => amountOf(cell, session));
        return a === null || b === null ? [] : [{ a, b, cluster: String(index) }];
      }),
    );
    const change = estimateChange(metric, pairs, { seed });
    if (change === undefined) return [];
    const means = pairMeans(pairs);
    const counts = {
      sessions: pairs.length,
      families: new Set(pairs.map(({ cluster }) => cluster)).size,
    };
    const verdict = judgeDifference(metric, pairs, change.estimate.interval);
    return [{ objective, ...counts, today: means.a, tuned: means.b, ...change, verdict }];
  });
}

function bestOther({ cells, points }: Landscape): TableCell | undefined {
  const others = [...cells.keys()].filter((index) => cells[index]?.isToday !== true);
  return cells[findFirst(others, points) ?? -1];
}

/** The changes from today's settings, without those that make no difference. */
function settingsToChange(
  cell: TableCell | undefined,
  needed: TableCell | undefined,
  landscape: Landscape,
) {
  const today = landscape.today.settings;
  if (cell === undefined) return { settings: today, needless: [] };
  const settings = settingsOf(needed ?? cell, landscape);
  const changed = changedSettings(settings, today);
  const all = changedSettings(settingsOf(cell, landscape), today);
  return { settings, needless: Object.keys(all).filter((name) => !Object.hasOwn(changed, name)) };
}

/**
 * Of the cells that are nowhere worse than one by more than the share that counts as none, the one that changes the
 * fewest of today's settings, unless that breaks a constraint; today's cell, which changes none, is not among them.
 */
function neededCell(cell: TableCell, landscape: Landscape, sources: AdviceSources): TableCell {
  const { cells, points, today } = landscape;
  const own = points[cells.indexOf(cell)] ?? [];
  const changesOf = (one: TableCell) =>
    Object.keys(changedSettings(settingsOf(one, landscape), today.settings)).length;
  const alike = cells.filter(
    (other, index) => !other.isToday && almostDominates(points[index] ?? [], own),
  );
  const [simplest = cell] = alike.toSorted((one, other) => changesOf(one) - changesOf(other));
  const isSimpler = changesOf(simplest) < changesOf(cell);
  return isSimpler && findBroken(simplest, sources).length === 0 ? simplest : cell;
}
