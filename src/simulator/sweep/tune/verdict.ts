import { isSpend } from '../../metrics/statistics/judge-difference.ts';
import { armRunOf } from '../../report/arms.ts';
import { bySupport, isWorthTrying, judgeTried, pickBest } from '../../report/verdict.ts';
import {
  type Advice,
  changedSettings,
  isBetter,
  isWorse,
  type Objective,
  type ObjectiveOutcome,
  type TuneVerdict,
} from '../../report/tune-report.ts';
import { EPSILON } from './front.ts';
import type { Landscape } from './landscape.ts';
import {
  isSound,
  type Observation,
  type Split,
  type TableCell,
  type TuneTable,
} from './tune-table.ts';

/** The facts of a verdict. */
interface VerdictSources {
  readonly advice: Advice['state'];
  /** The cell that the verdict is about; absent where there is none besides today's. */
  readonly cell: TableCell | undefined;
  readonly today: TableCell;
  readonly table: TuneTable;
  readonly landscape: Landscape;
  /** Today's settings break a constraint. */
  readonly isForced: boolean;
  /** Of that cell against today's. */
  readonly outcomes: readonly ObjectiveOutcome[];
  readonly split: Split;
  readonly objective: Objective | undefined;
}

/** The verdict on the best that was found, and those on the other cells, the best supported first. */
export interface Verdicts {
  readonly verdict: TuneVerdict;
  readonly others: readonly TuneVerdict[];
}

/** Other cells whose verdicts are told. */
const MOST_OTHERS = 12;

/** The verdict where no settings meet the constraints, or none differ from today's. */
export function verdictOnNothing(state: TuneVerdict['state']): Verdicts {
  const verdicts = judgeTried([{ name: '', matched: [], failed: 0 }]);
  const [verdict] = verdicts.map((nothing) => ({ ...nothing, state, change: {} }));
  if (verdict === undefined) throw new TypeError('Expected a verdict for each candidate.');
  return { verdict, others: [] };
}

/** Judges every cell that was tried against today's: the more there are, the surer each has to be. */
export function describeVerdicts(sources: VerdictSources): Verdicts {
  const { advice, cell, today, table, landscape, split, objective, isForced } = sources;
  const tried = table.cells.filter((one) => one !== today);
  const candidates = tried.map((one) => toCandidate(one, today, split));
  const judged = judgeTried(candidates).map((one, index): TuneVerdict => {
    const settings = tried[index]?.settings ?? {};
    return { ...one, change: changedSettings(settings, landscape.today.settings) };
  });
  const subject = cell && judged[tried.indexOf(cell)];
  if (subject === undefined) return verdictOnNothing('no difference that matters');
  // Where the cell that the front leads to is not worth trying, another may be: all are judged together.
  const mayChoose =
    isSpend(objective?.metric) &&
    !isForced &&
    advice !== 'nothing feasible' &&
    !isWorthTrying(subject);
  const feasible = judged.filter((_, index) => landscape.cells.some((one) => one === tried[index]));
  const own = (mayChoose ? pickBest(feasible) : undefined) ?? subject;
  const state = advice === 'nothing feasible' ? 'worse' : stateOf(sources, own);
  const { sessionsNeeded, ...rest } = own;
  const needed = state === own.state && sessionsNeeded !== undefined && { sessionsNeeded };
  const others = judged.filter((one) => one !== own).toSorted(bySupport);
  return { verdict: { ...rest, state, ...needed }, others: others.slice(0, MOST_OTHERS) };
}

/** How much better a mean is, as a share of today's. */
export function gainOf({ objective, today, tuned }: ObjectiveOutcome): number {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}

/** Cost is judged as in every command; of other objectives the first decides where it is certain, then what is worse. */
function stateOf(
  { advice, outcomes, objective, isForced }: VerdictSources,
  judged: TuneVerdict,
): TuneVerdict['state'] {
  if (isForced && advice === 'change') return 'better';
  if (isSpend(objective?.metric)) return judged.state;
  const [first] = outcomes;
  if (advice === 'change') return 'better';
  if (first === undefined) return 'not enough data';
  if (outcomes.every(makesNoDifference)) return 'no difference that matters';
  if (isBetter(first)) return 'better';
  if (outcomes.some(isWorse)) return 'worse';
  return outcomes.some(isBetter) ? 'better' : 'not enough data';
}

/** Shown to be equivalent, or of the same mean but for what counts as none. */
function makesNoDifference(outcome: ObjectiveOutcome): boolean {
  const { objective, verdict } = outcome;
  if (verdict === 'equivalent') return true;
  const isSame = verdict === 'within noise' && Math.abs(gainOf(outcome)) <= EPSILON;
  return isSame && !isSpend(objective.metric);
}

/** A cell over the sessions that went well under today's settings. */
function toCandidate(cell: TableCell, today: TableCell, { tuning, heldOut }: Split) {
  const pairs = [...tuning, ...heldOut].flat().flatMap((session) => {
    const [a, b] = [today.observations.get(session), cell.observations.get(session)];
    return a !== undefined && b !== undefined && isSound(a) ? [{ a, b }] : [];
  });
  const sound = pairs.filter(({ b }) => isSound(b));
  return {
    name: cell.id,
    matched: sound.map(({ a, b }) => ({ a: toRun(a), b: toRun(b) })),
    failed: pairs.length - sound.length,
  };
}

function toRun({ values, ...run }: Observation) {
  return armRunOf(run.session, { ...run, state: 'completed', metrics: values });
}
