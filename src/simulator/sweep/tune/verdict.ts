import { isSpend } from '../../metrics/statistics/judge-difference.ts';
import { armRunOf } from '../../report/arms.ts';
import {
  bySupport,
  isWorthTrying,
  judgeTried,
  pickBest,
  type TriedChange,
} from '../../report/verdict.ts';
import { changedSettings } from '../../report/tune-advice.ts';
import {
  type Advice,
  isBetter,
  isWorse,
  type NamedSettings,
  type Objective,
  type ObjectiveOutcome,
  type TuneVerdict,
} from '../../report/tune-report.ts';
import type { Candidate } from '../../report/verdict.ts';
import { EPSILON } from './front.ts';
import type { Split } from './split.ts';
import { isSound, type Observation, type TableCell } from './tune-table.ts';

/** The facts of a verdict. */
interface VerdictSources {
  readonly advice: Advice['state'];
  /** The cell that the verdict is about; absent where there is none besides today's. */
  readonly cell: TableCell | undefined;
  readonly today: TableCell;
  readonly todaysSettings: NamedSettings;
  /** All that were tried besides today's: the more there are, the surer each has to be. */
  readonly tried: readonly TableCell[];
  /** Those of them that keep the constraints. */
  readonly feasible: readonly TableCell[];
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
const NONE_TRIED = { name: '', matched: [], failed: 0 };

/** The verdict where no settings meet the constraints, or none differ from today's. */
export function verdictOnNothing(state: TuneVerdict['state']): Verdicts {
  const [nothing] = judgeTried([NONE_TRIED]);
  return { verdict: { ...(nothing as TriedChange), state, change: {} }, others: [] };
}

/** Judges every cell that was tried against today's. */
export function describeVerdicts(sources: VerdictSources): Verdicts {
  const { advice, cell, tried, feasible, today, todaysSettings, split } = sources;
  const judged = judgeTried(tried.map((one) => toCandidate(one, today, split))).map(
    (one, index): TuneVerdict => ({
      ...one,
      change: changedSettings(tried[index]?.settings ?? {}, todaysSettings),
    }),
  );
  const subject = cell && judged[tried.indexOf(cell)];
  if (subject === undefined) return verdictOnNothing('no difference that matters');
  const own = mayChoose(sources, subject)
    ? (pickBest(judged.filter((_, index) => feasible.includes(tried[index] as TableCell))) ??
      subject)
    : subject;
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

/** Where the cell that the front leads to is not worth trying, another may be: all are judged together. */
function mayChoose({ advice, objective, isForced }: VerdictSources, subject: TriedChange): boolean {
  const isOfCost = isSpend(objective?.metric);
  return isOfCost && !isForced && advice !== 'nothing feasible' && !isWorthTrying(subject);
}

/** Cost is judged as in every command; of other objectives the first decides where it is certain, then what is worse. */
function stateOf(
  { advice, outcomes, objective, isForced }: VerdictSources,
  judged: TriedChange,
): TuneVerdict['state'] {
  if (isForced && advice === 'change') return 'better';
  if (isSpend(objective?.metric)) return judged.state;
  const [first] = outcomes;
  if (advice === 'change') return 'better';
  if (outcomes.every(makesNoDifference)) {
    return outcomes.length === 0 ? 'not enough data' : 'no difference that matters';
  }
  if (first !== undefined && isBetter(first)) return 'better';
  if (outcomes.some(isWorse)) return 'worse';
  return outcomes.some(isBetter) ? 'better' : 'not enough data';
}

/** Shown to be equivalent, or of the same mean but for what counts as none. */
function makesNoDifference(outcome: ObjectiveOutcome): boolean {
  const { objective, verdict } = outcome;
  if (verdict === 'equivalent') return true;
  return (
    !isSpend(objective.metric) && verdict === 'within noise' && Math.abs(gainOf(outcome)) <= EPSILON
  );
}

/** A cell over the sessions that went well under today's settings. */
function toCandidate(cell: TableCell, today: TableCell, split: Split): Candidate {
  const pairs = [...split.tuning, ...split.heldOut].flat().flatMap((session) => {
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
