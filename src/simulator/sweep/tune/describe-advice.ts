import { judgeTogether } from '../../metrics/statistics/judge-together.ts';
import { changedSettings } from '../../report/tune/config.ts';
import { isWorse } from '../../report/tune/is-worse.ts';
import {
  type Advice,
  ADVICE_STATES,
  type Candidate,
  type ObjectiveOutcome,
} from '../../report/tune/tune-report.ts';
import { type Landscape, settingsOf } from './describe-front.ts';
import { findObstacle } from './feasibility.ts';
import { dominates, paretoFront } from './front.ts';
import { findMembers } from './front-members.ts';
import { findKnee } from './knee.ts';
import { advise, adviseTrade, compareCells } from './outcome.ts';
import type { Split } from './split-sessions.ts';
import { simplestLike } from './simplest.ts';
import type { TuneOptions } from './tune.ts';
import type { TableCell, TuneTable } from './tune-table.ts';

/** What an advice is drawn from. */
export interface AdviceSources {
  readonly table: TuneTable;
  readonly split: Split;
  readonly options: TuneOptions;
}

/** A cell that is compared with today's. */
interface Chosen {
  readonly cell: TableCell;
  readonly isKnee: boolean;
  /** Whether it is no knee and does not dominate today's either. */
  readonly isTrade: boolean;
}

/** Of a front without a knee, so many members are compared with today's settings. */
const MOST_COMPARED = 3;

/**
 * What the knee brings against today's settings, on sessions that it was not chosen on where there are any; of a front
 * without one, what its other members bring. The constraints are held against all sessions: nothing is advised that
 * breaks one.
 */
export function describeAdvice(landscape: Landscape, sources: AdviceSources): Advice {
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

/** What a cell changes of today's settings, but for what makes no difference there. */
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
 * Of each candidate: the more there are, and the more is asked of them, the likelier one looks better by chance. What is
 * worse by itself stays so, for nobody is to be told that nothing is.
 */
function judgeAll(
  lists: readonly (readonly ObjectiveOutcome[])[],
): readonly (readonly ObjectiveOutcome[])[] {
  const judged = [...judgeTogether(lists.flat(), isWorse)];
  return lists.map(({ length }) => judged.splice(0, length));
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

function compareOn(
  cell: TableCell,
  today: TableCell,
  { split, options }: AdviceSources,
): readonly ObjectiveOutcome[] {
  const families = split.heldOut.length > 0 ? split.heldOut : split.tuning;
  return compareCells(cell, today, { families, ...options });
}

function findBroken(cell: TableCell, { table, options }: AdviceSources): readonly string[] {
  const obstacle = findObstacle(cell, {
    sessions: table.sessions,
    all: table.sessions,
    constraints: options.constraints,
  });
  return obstacle === undefined ? [] : [obstacle];
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
