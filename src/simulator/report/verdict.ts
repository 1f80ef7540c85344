/** The conclusion of every report that compares: each arm against one baseline, over what all arms completed. */

import * as z from 'zod';
import { sum } from '../lib/collections.ts';
import {
  normalQuantile,
  CONFIDENCE,
  type Interval,
  tQuantile,
} from '../metrics/statistics/interval.ts';
import {
  COST_METRIC,
  costRatioPValue,
  geometricCostRatio,
  judgeDifference,
  ratioOfTotals,
} from '../metrics/statistics/judge-difference.ts';
import {
  FEW_CLUSTERS,
  groupByCluster,
  type Pair,
  pairedMeanDifference,
} from '../metrics/statistics/mean-difference.ts';
import {
  clusterOf,
  countEvidence,
  isAsGoodAsEqual,
  judgeTogether,
  SAME_COST,
  type Verdict,
} from '../metrics/statistics/verdict.ts';
import { type Arm, type ArmRun, findCompared, type LeftOutArm } from './arms.ts';
import type { Checked } from './saved/shapes.ts';

/** An arm against the baseline, as JSON reports have it. */
export const ArmVerdictShape = z.object({
  /** The arm that is judged. */
  change: z.string(),
  baseline: z.string(),
  /**
   * Totals of baseline and arm, and the interval of the arm's total that the sessions leave open; `null` where a price
   * is unknown or the sessions are too few. `isFromLeast`: the recording lacks costs of the baseline.
   */
  costUsd: z.object({
    from: z.number().nullable(),
    to: z.number().nullable(),
    low: z.number().nullable(),
    high: z.number().nullable(),
    isFromLeast: z.literal(true).exactOptional(),
  }),
  /** Needs that were not visible, those that no action brings back included; `null` where unknown. */
  losses: z.object({ from: z.number().nullable(), to: z.number().nullable() }),
  /** Of the costs; of the losses where costs are equal or unknown. */
  state: z.enum(['better', 'worse', 'no difference that matters', 'not enough data']),
  /** The arm certainly loses more, whatever it costs. */
  losesMore: z.literal(true).exactOptional(),
  /** The evidence that it rests on. */
  sessions: z.number(),
  families: z.number(),
  /** About how many independent sessions would decide; absent where it is decided, or none would. */
  sessionsNeeded: z.number().exactOptional(),
});

export type ArmVerdict = Checked<typeof ArmVerdictShape>;

/** The outcome of a report: the verdicts, and the evidence that they rest on. */
export interface Conclusion {
  /** In the order of the arms. */
  readonly verdict: readonly ArmVerdict[];
  /** The arm that all others are held against; absent where none completed a session. */
  readonly baseline?: {
    readonly name: string;
    readonly costUsd: number | null;
    readonly losses: number | null;
  };
  /** Those that all arms completed at a known cost, and their families. */
  readonly sessions: number;
  readonly families: number;
  /** Sessions of all arms. */
  readonly allSessions: number;
  readonly leftOut: readonly LeftOutArm[];
}

/** How the verdicts on cost are come by, where a report has judged them among others. */
interface JudgeOptions {
  readonly costVerdicts?: readonly Verdict[] | undefined;
}

/** A run beside that of the baseline. */
interface Matched {
  readonly a: ArmRun;
  readonly b: ArmRun;
}

/** An arm with its pairs of costs and of losses, as far as both are known. */
interface Candidate {
  readonly name: string;
  readonly matched: readonly Matched[];
  readonly costs: readonly Pair[];
  readonly losses: readonly Pair[];
}

/** Something that was estimated, and how far from none it is no difference. */
interface Spread {
  readonly value: number;
  readonly interval: Interval;
  readonly tolerance: number;
  readonly observations: number;
}

/** Enough of them for a range that is told with few digits. */
const DRAWN = { seed: 1, resamples: 2_000 };
const TAIL = (1 + CONFIDENCE) / 2;

/** Holds every arm against the baseline: what was recorded, or else the first arm that every session could run. */
export function conclude(arms: readonly Arm[], { costVerdicts }: JudgeOptions = {}): Conclusion {
  const { leftOut, fit, base, keys } = findCompared(arms);
  const asked = arms.flatMap(({ runs }) => runs.filter(({ state }) => state !== 'skipped'));
  const allSessions = countEvidence(asked).sessions;
  const about = { verdict: [], allSessions, leftOut, ...countEvidence([]) };
  if (base === undefined || keys.length === 0) return about;
  const own = keys.flatMap((key) => base.runs.get(key) ?? []);
  const others = fit.filter((arm) => arm !== base);
  const candidates = others.map(({ name, runs }) => toCandidate(name, own, runs));
  return {
    ...about,
    verdict: judgeAll(candidates, base.name, costVerdicts),
    baseline: {
      name: base.name,
      costUsd: totalOf(own, ({ costUsd }) => costUsd),
      losses: totalOf(own, ({ losses }) => losses),
    },
    ...countEvidence(own),
  };
}

function toCandidate(
  name: string,
  own: readonly ArmRun[],
  runs: ReadonlyMap<string, ArmRun>,
): Candidate {
  const matched = own.flatMap((a) => {
    const b = runs.get(a.key);
    return b === undefined ? [] : [{ a, b }];
  });
  return {
    name,
    matched,
    costs: pairsOf(matched, ({ costUsd }) => costUsd),
    losses: pairsOf(matched, ({ losses }) => losses),
  };
}

/** Pairs in which both are known; what differs by rounding alone is the same. */
function pairsOf(
  matched: readonly Matched[],
  valueOf: (run: ArmRun) => number | null,
): readonly Pair[] {
  return matched.flatMap(({ a: first, b: second }) => {
    const [a, b] = [valueOf(first), valueOf(second)];
    if (a === null || b === null) return [];
    return [{ a, b: isAsGoodAsEqual(a, b) ? a : b, cluster: clusterOf(first) }];
  });
}

/** All arms are judged together, as many tests at once. */
function judgeAll(
  candidates: readonly Candidate[],
  baseline: string,
  costVerdicts?: readonly Verdict[],
): ArmVerdict[] {
  const costs = judgeTogether(
    candidates.map(({ costs: pairs }) => ({
      verdict: judgeDifference(COST_METRIC, pairs, null),
      pValue: costRatioPValue(pairs),
    })),
  );
  const losses = judgeTogether(candidates.map(({ losses: pairs }) => judgeLosses(pairs)));
  return candidates.map((candidate, index) =>
    toVerdict(candidate, baseline, {
      cost: costVerdicts?.[index] ?? costs[index]?.verdict ?? 'too few',
      losses: losses[index]?.verdict ?? 'too few',
    }),
  );
}

function judgeLosses(pairs: readonly Pair[]) {
  const found = pairedMeanDifference(pairs, DRAWN);
  const verdict = judgeDifference('losses', pairs, found?.interval ?? null);
  return { verdict, pValue: found?.pValue ?? null };
}

function toVerdict(
  candidate: Candidate,
  baseline: string,
  judged: { readonly cost: Verdict; readonly losses: Verdict },
): ArmVerdict {
  const { name, matched, costs, losses } = candidate;
  const isLeast = matched.some(({ a }) => a.isLeast);
  const cost = costs.length === 0 ? undefined : judged.cost;
  const state = stateOf(cost, losses.length === 0 ? undefined : judged.losses, isLeast);
  const needed = state === 'not enough data' ? findNeeded(candidate, cost, isLeast) : undefined;
  return {
    change: name,
    baseline,
    costUsd: { ...rangeOf(candidate), ...(isLeast && { isFromLeast: true }) },
    losses: {
      from: totalOf(matched, ({ a }) => a.losses),
      to: totalOf(matched, ({ b }) => b.losses),
    },
    state,
    ...(judged.losses === 'higher' && { losesMore: true }),
    ...countEvidence(matched.map(({ a }) => a)),
    ...(needed !== undefined && { sessionsNeeded: needed }),
  };
}

/** A baseline that costs at least so much can be shown to be dearer, but neither cheaper nor equal. */
function stateOf(
  cost: Verdict | undefined,
  losses: Verdict | undefined,
  isLeast: boolean,
): ArmVerdict['state'] {
  if (cost === 'lower') return 'better';
  if (isOpen(cost)) return 'not enough data';
  if (cost !== undefined && isLeast) return 'not enough data';
  if (cost === 'higher') return 'worse';
  if (losses === 'lower') return 'better';
  if (losses === 'higher') return 'worse';
  const areEqual = losses === 'equivalent' || (losses === undefined && cost === 'equivalent');
  return areEqual ? 'no difference that matters' : 'not enough data';
}

function rangeOf({ matched, costs }: Candidate) {
  const from = totalOf(matched, ({ a }) => a.costUsd);
  const to = totalOf(matched, ({ b }) => b.costUsd);
  const ratio = from === null || to === null ? undefined : ratioOfTotals(costs, DRAWN);
  const end = (share: number | undefined) =>
    share === undefined || from === null ? null : share * from;
  return { from, to, low: end(ratio?.interval?.low), high: end(ratio?.interval?.high) };
}

/** About how many sessions would decide what is open: of one nobody knows how far they stray. */
function findNeeded(
  { costs, losses }: Candidate,
  cost: Verdict | undefined,
  isLeast: boolean,
): number | undefined {
  const isOfCost = isOpen(cost);
  if (isLeast && cost !== undefined && !isOfCost) return undefined;
  const pairs = isOfCost ? costs : losses;
  const observations = groupByCluster(pairs, ({ b }) => b).length;
  const found = isOfCost ? geometricCostRatio(pairs) : pairedMeanDifference(pairs, DRAWN);
  if (found === undefined) return undefined;
  const { value, interval } = found;
  if (interval === null) return FEW_CLUSTERS;
  if (!isOfCost) return sessionsEnough({ value, interval, tolerance: 0, observations });
  return sessionsEnough({
    value: Math.log(value),
    interval: { low: Math.log(interval.low), high: Math.log(interval.high) },
    tolerance: Math.log(SAME_COST.region?.high ?? 1),
    observations,
  });
}

function isOpen(verdict: Verdict | undefined): boolean {
  return verdict === 'within noise' || verdict === 'too few';
}

/** An interval narrows with the root of the number of sessions, and with what is known of their spread. */
function sessionsEnough({ value, interval, tolerance, observations }: Spread): number | undefined {
  const wanted = Math.max(Math.abs(value), tolerance - Math.abs(value));
  if (wanted === 0) return undefined;
  const reach = (interval.high - interval.low) / 2;
  const deviation = (reach * Math.sqrt(observations)) / tQuantile(TAIL, observations - 1);
  const guess = Math.ceil(((normalQuantile(TAIL) * deviation) / wanted) ** 2);
  const quantile = tQuantile(TAIL, Math.max(1, guess - 1));
  return Math.max(observations + 1, Math.ceil(((quantile * deviation) / wanted) ** 2));
}

/** The sum; unknown where any of them is. */
function totalOf<One>(some: readonly One[], valueOf: (one: One) => number | null): number | null {
  const values = some.flatMap((one) => valueOf(one) ?? []);
  return values.length < some.length ? null : sum(values);
}
