import { estimateChange, judgeDifference } from '../../metrics/judge-difference.ts';
import { type Pair, pairMeans } from '../../metrics/statistics/pair.ts';
import { isWorse } from '../../report/tune/is-worse.ts';
import type { Advice, Objective, ObjectiveOutcome } from '../../report/tune/tune-report.ts';
import type { Family } from './family.ts';
import { EPSILON } from './front.ts';
import { isSound, type Observation, type TableCell } from './tune-table.ts';

/** A pair whose cluster is its family. */
type ClusteredPair = Required<Pair>;

/** One cell against today's, on those sessions that went well under both; of objectives without any there is no outcome. */
export function compareCells(
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

/** What outcomes speak for: a change where something is better and nothing worse. */
export function advise(outcomes: readonly ObjectiveOutcome[]): Advice['state'] {
  const better = outcomes.some((outcome) => isBetter(outcome));
  const worse = outcomes.some((outcome) => isWorse(outcome));
  if (better) return worse ? 'trade-off' : 'change';
  if (worse) return 'keep';
  return outcomes.every(({ verdict }) => verdict === 'too few') ? 'too few' : 'within noise';
}

/**
 * What outcomes speak for of a member that does not dominate today's settings: where something is better or worse,
 * means that say the contrary of another objective make it a trade-off, whatever its verdict. That of cost is of a
 * ratio, to which many sessions that hardly differ count for more than a dear one.
 */
export function adviseTrade(outcomes: readonly ObjectiveOutcome[]): Advice['state'] {
  const state = advise(outcomes);
  const isAgainst =
    (state === 'change' && outcomes.some((outcome) => gainOf(outcome) < -EPSILON)) ||
    (state === 'keep' && outcomes.some((outcome) => gainOf(outcome) > EPSILON));
  return isAgainst ? 'trade-off' : state;
}

/** How much better a mean is, as a share of today's. */
function gainOf({ objective, today, tuned }: ObjectiveOutcome): number {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}

function isBetter({ objective, verdict }: ObjectiveOutcome): boolean {
  return verdict === objective.better;
}

/** What was refused or ended early came to less than the whole session would have. */
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
