import { sum } from '../../lib/collections.ts';
import { COST_METRIC } from '../../metrics/statistics/judge-difference.ts';
import { type ArmJudgement, judgeArms } from '../../metrics/statistics/judge-arms.ts';
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
import { lossesOf } from './screen.ts';
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
  /** All that were tried besides today's: the more there are, the surer each has to be. */
  readonly tried: readonly TableCell[];
  /** Today's settings break a constraint. */
  readonly isForced: boolean;
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
  const { advice, cell, settings, today, todaysSettings, split } = sources;
  const pairs = cell === undefined ? [] : pairsOf(cell, today, split);
  const judgement = judgeTried(sources);
  const state = advice === 'nothing feasible' ? 'worse' : stateOf(sources, judgement);
  const { needed } = judgement ?? {};
  return {
    state,
    change: cell === undefined ? {} : changedSettings(settings, todaysSettings),
    costUsd: costOf(pairs, sources.objective?.metric === COST_METRIC ? judgement : undefined),
    losses: totalsOf(pairs, lossesOf),
    sessions: pairs.length,
    sessionsNeeded: state === 'not enough data' && typeof needed === 'number' ? needed : null,
  };
}

/** How much better a mean is, as a share of today's. */
export function gainOf({ objective, today, tuned }: ObjectiveOutcome): number {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}

/** Cost is judged as in every command; of other objectives the first decides where it is certain, then what is worse. */
function stateOf(
  { advice, cell, outcomes, objective, isForced }: VerdictSources,
  judgement: ArmJudgement | undefined,
): TuneVerdict['state'] {
  if (isForced && advice === 'change') return 'better';
  if (objective?.metric === COST_METRIC && judgement !== undefined) {
    return judgement.state === 'fails' ? 'worse' : judgement.state;
  }
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

/** The totals of cost, with the ends of the new one by the interval of their ratio. */
function costOf(
  pairs: readonly RunPair[],
  judgement: ArmJudgement | undefined,
): TuneVerdict['costUsd'] {
  const totals = totalsOf(pairs, ({ netUsd }) => netUsd ?? Number.NaN);
  if (totals === null) return null;
  const { low = null, high = null } = judgement?.interval ?? {};
  return { ...totals, low, high };
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

/** The judgement of a cell by the first objective, among all that were tried. */
function judgeTried(sources: VerdictSources): ArmJudgement | undefined {
  const { cell, tried, today, split, objective } = sources;
  if (cell === undefined || objective === undefined) return undefined;
  const families = [...split.tuning, ...split.heldOut];
  const clusters = new Map(
    families.flatMap((family, index) => family.map((session) => [session, String(index)] as const)),
  );
  const judged = judgeArms(
    tried.map((one) => ({
      failed: 0,
      pairs: pairsOf(one, today, split).flatMap(({ a, b }) => {
        const [base, arm] = [amountOf(a, objective), amountOf(b, objective)];
        const cluster = clusters.get(a.session) ?? a.session;
        const differs = a.digest !== b.digest;
        return base === null || arm === null ? [] : [{ cluster, base, arm, differs }];
      }),
    })),
  );
  return judged[tried.indexOf(cell)];
}

function amountOf({ netUsd, values }: Observation, { metric }: Objective): number | null {
  return metric === COST_METRIC ? netUsd : (values[metric] ?? null);
}
