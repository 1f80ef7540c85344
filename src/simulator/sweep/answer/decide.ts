import { sum } from '../../lib/collections.ts';
import { judgeDifference, ratioOfTotals } from '../../metrics/statistics/judge-difference.ts';
import {
  CONFIDENCE,
  type Estimate,
  type Interval,
  normalQuantile,
} from '../../metrics/statistics/interval.ts';
import {
  FEW_CLUSTERS,
  type MeanDifference,
  type Pair,
  pairedMeanDifference,
} from '../../metrics/statistics/mean-difference.ts';
import {
  clusterOf,
  judge,
  judgeTogether,
  SAME_COST,
  type Verdict,
} from '../../metrics/statistics/verdict.ts';
import type { AnswerState, AnswerVerdict } from '../../report/answer-schema.ts';
import type { ResultRow } from '../store/row.ts';

/** A session under the preset and under a change of it; both ended, at a known price. */
export interface Pairing {
  readonly base: ResultRow;
  readonly changed: ResultRow;
}

/** The effect of a change, judged. */
export type Decision = Pick<
  AnswerVerdict,
  'state' | 'spent' | 'losses' | 'sessions' | 'changedSessions' | 'sessionsNeeded'
>;

/** The numbers of a change before they are judged beside those of others. */
interface Measured {
  readonly pairings: readonly Pairing[];
  readonly costs: readonly Pair[];
  /** The second total over the first. */
  readonly ratio: Estimate | undefined;
  readonly costDifference: MeanDifference | undefined;
  readonly lossDifference: MeanDifference | undefined;
  readonly changedFamilies: number;
}

const BOOTSTRAP = { seed: 1 };

/** The unit in which runs are judged: dollars at list prices, or without a price the tokens that are processed. */
export type SpendUnit = AnswerVerdict['unit'];

/** The unit in which a run is judged. */
export function spendUnitOf({ metrics }: ResultRow): SpendUnit {
  return metrics.costUsd === null ? 'tokens' : 'usd';
}

/** The amount that a run took, in its unit: without a price, uncached input and output. */
export function spentIn({ metrics }: ResultRow): number {
  const { costUsd, uncachedTokens, cacheWriteTokens, outputTokens, summaryOutputTokens } = metrics;
  if (costUsd !== null) return costUsd;
  return sum(
    [uncachedTokens, cacheWriteTokens, outputTokens, summaryOutputTokens].map((one) => one ?? 0),
  );
}

/** Judges changes that were tried beside each other: the more there are, the surer each has to be. */
export function decideAll(changes: readonly (readonly Pairing[])[]): readonly Decision[] {
  const measured = changes.map(measure);
  const costs = judgeTogether(measured.map(testCost));
  const losses = judgeTogether(measured.map(testLosses));
  const tests = measured.filter(({ changedFamilies }) => changedFamilies > 0).length;
  return measured.map((one, index) => {
    const cost = costs[index]?.verdict ?? 'too few';
    const lost = losses[index]?.verdict ?? 'too few';
    return toDecision(one, { state: stateOf(one, cost, lost), tests });
  });
}

function measure(pairings: readonly Pairing[]): Measured {
  const costs = toPairs(pairings, spentIn);
  const losses = toPairs(pairings, lossesOf);
  const changed = pairings.filter(isChanged);
  return {
    pairings,
    costs,
    ratio: ratioOfTotals(costs, BOOTSTRAP),
    costDifference: pairedMeanDifference(costs, BOOTSTRAP),
    lossDifference: pairedMeanDifference(losses, BOOTSTRAP),
    changedFamilies: new Set(changed.map(({ base }) => clusterOf(base))).size,
  };
}

function toPairs(
  pairings: readonly Pairing[],
  valueOf: (row: ResultRow) => number,
): readonly Pair[] {
  return pairings.map(({ base, changed }) => ({
    a: valueOf(base),
    b: valueOf(changed),
    cluster: clusterOf(base),
  }));
}

function isChanged({ base, changed }: Pairing): boolean {
  return base.eventDigest !== changed.eventDigest;
}

/** A change without any effect is none of several tests. */
function testCost({ ratio, costDifference, changedFamilies }: Measured) {
  const verdict = judge(ratio?.interval ?? null, SAME_COST);
  return { verdict, pValue: changedFamilies === 0 ? null : (costDifference?.pValue ?? null) };
}

function testLosses({ lossDifference, changedFamilies }: Measured) {
  const verdict = judgeDifference('misses', [], lossDifference?.interval ?? null);
  return { verdict, pValue: changedFamilies === 0 ? null : (lossDifference?.pValue ?? null) };
}

function toDecision(
  measured: Measured,
  { state, tests }: { readonly state: AnswerState; readonly tests: number },
): Decision {
  const { pairings, ratio } = measured;
  const from = sum(pairings.map(({ base }) => spentIn(base)));
  const to = sum(pairings.map(({ changed }) => spentIn(changed)));
  return {
    state,
    spent: {
      from,
      to,
      low: ratio?.interval ? from * ratio.interval.low : null,
      high: ratio?.interval ? from * ratio.interval.high : null,
    },
    losses: {
      from: sum(pairings.map(({ base }) => lossesOf(base))),
      to: sum(pairings.map(({ changed }) => lossesOf(changed))),
    },
    sessions: pairings.length,
    changedSessions: pairings.filter(isChanged).length,
    sessionsNeeded: state === 'not enough data' ? sessionsNeeded(measured, tests) : null,
  };
}

/**
 * Money that is surely saved is worth trying unless losses surely grow; where it makes no difference, losses decide. A few sessions that
 * differ are not enough for either.
 */
function stateOf(measured: Measured, cost: Verdict, losses: Verdict): AnswerState {
  if (measured.changedFamilies === 0) return 'no effect';
  const isEnough = measured.changedFamilies >= FEW_CLUSTERS;
  if (cost === 'equivalent') {
    if (losesAlike(measured)) return 'no difference that matters';
    if (!isEnough || (losses !== 'lower' && losses !== 'higher')) return 'not enough data';
    return losses === 'lower' ? 'try it' : 'worse';
  }
  if (!isEnough || (cost !== 'lower' && cost !== 'higher')) return 'not enough data';
  if (cost === 'higher') return losses === 'lower' ? 'a choice' : 'worse';
  // Harm that shows alone is none the less for other changes that were tried.
  return testLosses(measured).verdict === 'higher' ? 'a choice' : 'try it';
}

function losesAlike({ pairings }: Measured): boolean {
  return pairings.every(({ base, changed }) => lossesOf(base) === lossesOf(changed));
}

/**
 * How many sessions like these would tell: as many as narrow the interval until it lies on one side of none, or within the region
 * of no difference, as sure as it has to be among so many tests; and enough of those that differ.
 */
function sessionsNeeded(
  { pairings, costs, ratio, costDifference, changedFamilies }: Measured,
  tests: number,
): number | null {
  const interval = ratio?.interval ?? relativeTo(costs, costDifference);
  if (changedFamilies === 0) return null;
  if (ratio === undefined || interval === null) return FEW_CLUSTERS;
  const byDiffering = FEW_CLUSTERS / changedFamilies;
  const effect = Math.abs(ratio.value - 1);
  const margin = Math.max(effect, (SAME_COST.region?.high ?? 1) - 1 - effect);
  const reach = (widthAmong(tests) * (interval.high - interval.low)) / 2;
  const factor = Math.max(byDiffering, (reach / margin) ** 2);
  return Math.max(pairings.length + 1, Math.ceil(pairings.length * factor));
}

/** How much wider an interval is that holds together with those of other tests. Source: Bonferroni's correction. */
function widthAmong(tests: number): number {
  const beyond = (1 - CONFIDENCE) / 2;
  return normalQuantile(1 - beyond / Math.max(1, tests)) / normalQuantile(1 - beyond);
}

/** The interval of a mean difference as one of the ratio of totals. */
function relativeTo(
  costs: readonly Pair[],
  difference: MeanDifference | undefined,
): Interval | null {
  const mean = sum(costs.map(({ a }) => a)) / costs.length;
  if (!difference?.interval || !(mean > 0)) return null;
  const { low, high } = difference.interval;
  return { low: 1 + low / mean, high: 1 + high / mean };
}

function lossesOf({ metrics }: ResultRow): number {
  return metrics.misses ?? 0;
}
