import { sum } from '../../lib/collections.ts';
import { COST_METRIC } from '../../metrics/statistics/judge-difference.ts';
import { judgeArms } from '../../metrics/statistics/judge-arms.ts';
import { isAsGoodAsEqual } from '../../metrics/statistics/verdict.ts';
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

/** Of how many sessions like these most draws would decide; `null` where nothing differs, or too few do. */
function neededFor(pairs: readonly RunPair[], { split, objective }: VerdictSources): number | null {
  if (objective === undefined) return null;
  const { metric } = objective;
  const families = [...split.tuning, ...split.heldOut];
  const clusterOf = new Map(
    families.flatMap((family, index) => family.map((session) => [session, String(index)] as const)),
  );
  const judged = judgeArms([
    {
      failed: 0,
      pairs: pairs.map(({ a, b }) => {
        const [base, arm] = [a.values[metric] ?? 0, b.values[metric] ?? 0];
        const cluster = clusterOf.get(a.session) ?? a.session;
        return { cluster, base, arm, differs: !isAsGoodAsEqual(base, arm) };
      }),
    },
  ]);
  const needed = judged[0]?.needed;
  return typeof needed === 'number' ? needed : null;
}
