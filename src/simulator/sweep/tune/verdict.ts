import { sum } from '../../lib/collections.ts';
import { COST_METRIC } from '../../metrics/statistics/judge-difference.ts';
import { tQuantile } from '../../metrics/statistics/interval.ts';
import { standardisedDifference } from '../../metrics/statistics/verdict.ts';
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
import { EPSILON } from './front.ts';
import { COST, lossesOf } from './screen.ts';
import type { Split } from './split.ts';
import { isSound, type Observation, type TableCell } from './tune-table.ts';

/** The facts of a verdict. */
interface VerdictSources {
  readonly advice: Advice['state'];
  /** The cell that the verdict is about, with its settings; absent where there is none besides today's. */
  readonly cell: TableCell | undefined;
  readonly settings: NamedSettings;
  readonly today: TableCell;
  readonly todaysSettings: NamedSettings;
  /** Of that cell against today's. */
  readonly outcomes: readonly ObjectiveOutcome[];
  readonly split: Split;
  readonly objective: Objective | undefined;
}

/** A session under today's settings and under others, both of which it completed. */
interface RunPair {
  readonly a: Observation;
  readonly b: Observation;
}

/** A test finds a difference of the size seen in so many of the cases. */
const POWER = 0.8;
const SIGNIFICANCE = 0.05;
const LARGE_SAMPLE = 100;
const ROUNDS = 6;
/** More sessions than that nobody has. */
const MOST_NEEDED = 100_000;
/** Added to costs, so that a free run has a logarithm. */
const FREE_USD = 1e-6;

/** The verdict where no settings meet the constraints. */
export const NOTHING_FEASIBLE: TuneVerdict = {
  state: 'worse',
  change: {},
  costUsd: null,
  losses: null,
  sessions: 0,
  sessionsNeeded: null,
};

/** The savings and losses of the best that was found, and how sure they are. */
export function describeVerdict(sources: VerdictSources): TuneVerdict {
  const { advice, cell, settings, today, todaysSettings, outcomes, split } = sources;
  const pairs = cell === undefined ? [] : pairsOf(cell, today, split);
  const state = advice === 'nothing feasible' ? 'worse' : stateOf(sources);
  return {
    state,
    change: cell === undefined ? {} : changedSettings(settings, todaysSettings),
    costUsd: costOf(pairs, outcomes),
    losses: totalsOf(pairs, lossesOf),
    sessions: pairs.length,
    sessionsNeeded: state === 'not enough data' ? neededFor(pairs, sources) : null,
  };
}

/** How much better a mean is, as a share of today's. */
export function gainOf({ objective, today, tuned }: ObjectiveOutcome): number {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}

/** The first objective decides where it is certain; of the others what is worse goes before what is better. */
function stateOf({ advice, cell, outcomes }: VerdictSources): TuneVerdict['state'] {
  const [first] = outcomes;
  if (advice === 'change') return 'better';
  if (cell === undefined || outcomes.every(makesNoDifference)) {
    return outcomes.length === 0 && cell !== undefined
      ? 'not enough data'
      : 'no difference that matters';
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
    objective.metric !== COST_METRIC &&
    verdict === 'within noise' &&
    Math.abs(gainOf(outcome)) <= EPSILON
  );
}

function pairsOf(cell: TableCell, today: TableCell, split: Split): readonly RunPair[] {
  return [...split.tuning, ...split.heldOut].flat().flatMap((session) => {
    const [a, b] = [today.observations.get(session), cell.observations.get(session)];
    return a !== undefined && b !== undefined && isSound(a) && isSound(b) ? [{ a, b }] : [];
  });
}

/** The totals of cost, with the ends of the new one by the interval of the ratio on the sessions compared. */
function costOf(
  pairs: readonly RunPair[],
  outcomes: readonly ObjectiveOutcome[],
): TuneVerdict['costUsd'] {
  const totals = totalsOf(pairs, costOfRun);
  if (totals === null) return null;
  const ratio = outcomes.find(({ kind }) => kind === 'ratio')?.estimate.interval ?? null;
  const at = (end: number | undefined) => (end === undefined ? null : end * totals.from);
  return { ...totals, low: at(ratio?.low), high: at(ratio?.high) };
}

function costOfRun({ values }: Observation): number {
  return values[COST] ?? Number.NaN;
}

function totalsOf(
  pairs: readonly RunPair[],
  measure: (run: Observation) => number,
): { readonly from: number; readonly to: number } | null {
  if (pairs.length === 0) return null;
  const from = sum(pairs.map(({ a }) => measure(a)));
  const to = sum(pairs.map(({ b }) => measure(b)));
  return Number.isNaN(from + to) ? null : { from, to };
}

/**
 * Sessions with which a difference of the size seen would be found in 80 of 100 cases: by Student's t,
 * for the part that is held out. `null` where nothing differs, so that no number would do.
 */
function neededFor(pairs: readonly RunPair[], { split, objective }: VerdictSources): number | null {
  if (objective === undefined) return null;
  const size = standardisedDifference(differencesOf(pairs, split, objective.metric));
  if (size === null || size === 0) return null;
  const compared = neededToCompare(Math.abs(size));
  const [held, all] = [split.heldOut.length, split.heldOut.length + split.tuning.length];
  const needed = Math.ceil(compared * (held === 0 ? 1 : all / held));
  return needed > MOST_NEEDED ? null : Math.max(needed, all + 1);
}

/** For a difference of so many standard deviations; each round knows the degrees of freedom of the one before. */
function neededToCompare(size: number): number {
  let needed = LARGE_SAMPLE;
  for (let round = 0; round < ROUNDS; round++) {
    const freedom = Math.max(1, needed - 1);
    const quantiles = tQuantile(1 - SIGNIFICANCE / 2, freedom) + tQuantile(POWER, freedom);
    needed = Math.min(MOST_NEEDED, Math.ceil((quantiles / size) ** 2));
  }
  return needed;
}

/** By family the mean difference of an objective, of cost that of logarithms. */
function differencesOf(
  pairs: readonly RunPair[],
  { tuning, heldOut }: Split,
  metric: string,
): readonly number[] {
  const valueOf = ({ values }: Observation) => {
    const value = values[metric] ?? Number.NaN;
    return metric === COST_METRIC ? Math.log(value + FREE_USD) : value;
  };
  const bySession = new Map(pairs.map(({ a, b }) => [a.session, valueOf(b) - valueOf(a)]));
  return [...tuning, ...heldOut].flatMap((family) => {
    const own = family.flatMap((session) => bySession.get(session) ?? []);
    return own.length === 0 ? [] : [sum(own) / own.length];
  });
}
