/** Verdicts on arms against one baseline, over the sessions that both completed. */

import * as z from 'zod';
import { known } from '../lib/collections.ts';
import { type ArmJudgement, judgeArms } from '../metrics/statistics/judge-arms.ts';
import { pairedMeanDifference } from '../metrics/statistics/mean-difference.ts';
import {
  clusterOf,
  countEvidence,
  isAsGoodAsEqual,
  SAME_COST,
} from '../metrics/statistics/verdict.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Arm, type ArmRun, findCompared, type MeasuredArm, totalOf } from './arms.ts';
import { amount, flag, number, string, type Checked } from './saved/shapes.ts';

const Totals = z.object({ from: amount, to: amount, low: amount, high: amount });

/** The verdicts on an arm, the most telling first. */
export const TOLD_FIRST = [
  'better',
  'not enough data',
  'no difference that matters',
  'does nothing',
  'no effect',
  'worse',
  'fails',
] as const;

export const ArmVerdictShape = z.object({
  change: string,
  /** Empty where no arm completed a session. */
  baseline: string,
  /** Net costs with re-reads over sessions that both completed, and the interval of the total of `to`; `null` where unknown. */
  costUsd: Totals.extend({ isFromLeast: flag }),
  /** The same of uncached input and output, where a price is unknown. */
  tokens: Totals.exactOptional(),
  /** Needs that were not visible; `null` where unknown. */
  losses: Totals.pick({ from: true, to: true }).extend({ areExpected: flag }),
  /** Those that no action brings back; absent where unknown. */
  lostForGood: z.object({ from: number, to: number }).exactOptional(),
  /** Of the costs, or without a price of the tokens. */
  state: z.enum(TOLD_FIRST),
  /** Certainly, whatever it costs. */
  losesMore: flag,
  /** Sessions that the baseline completed, and the arm did not. */
  failedSessions: number.exactOptional(),
  /** The earliest step at which it failed, of how many; absent where nobody says. */
  failedAt: z.object({ step: number, steps: number }).exactOptional(),
  /** Sessions that the baseline itself did not complete. */
  baselineFailedSessions: number.exactOptional(),
  sessions: number,
  families: number,
  differing: number,
  /** Sessions that would decide in four of five draws, 1,001 for more; absent where unknown. */
  sessionsNeeded: number.exactOptional(),
});

export type ArmVerdict = Checked<typeof ArmVerdictShape>;

/** With the interval of `to`. */
export type SpendTotals = Checked<typeof Totals>;

/** A change against today's settings, judged among those that were tried with it. */
export const TriedShape = ArmVerdictShape.omit({ change: true, baseline: true }).extend({
  /** Sessions in which nothing was cleared or replaced, under either settings. */
  idleSessions: number,
  /** The price of reading again what they lost is unknown. */
  withoutRereads: number.exactOptional(),
});

export type TriedChange = Checked<typeof TriedShape>;

export const ConclusionShape = z.object({
  /** Absent where no arm completed a session. */
  baseline: z
    .object({
      name: string,
      costUsd: amount,
      losses: amount,
      areLossesExpected: flag,
      isIll: flag,
      /** The earliest step that it did not get past in any session. */
      failedAtStep: number.exactOptional(),
    })
    .exactOptional(),
  /** The largest request where nothing compacted, beside the nearest edge. */
  idle: z.object({ largestTokens: number, edgeTokens: number.exactOptional() }).exactOptional(),
  /** Their costs lack what is read again. */
  withoutRereads: number.exactOptional(),
  /** Those that the baseline completed at a known cost. */
  sessions: number,
  families: number,
  allSessions: number,
});

export interface Conclusion extends Checked<typeof ConclusionShape> {
  /** In the order of the arms; what was recorded has none, unless a baseline was named. */
  readonly verdict: readonly ArmVerdict[];
}

interface Candidate {
  readonly name: string;
  readonly matched: readonly Matched[];
  readonly failed: number;
  readonly failedAt?: ArmVerdict['failedAt'];
}

interface Matched {
  readonly a: ArmRun;
  readonly b: ArmRun;
}

type Supported = Omit<ArmVerdict, 'change' | 'baseline'>;

/** Judges every arm against the baseline; a failing arm shrinks no other's sessions. */
export function conclude(
  arms: readonly Arm[],
  { baseline }: { readonly baseline?: string | undefined } = {},
): Conclusion {
  const { base, others, keys } = findCompared(arms, baseline);
  const asked = arms.flatMap(({ runs }) => runs.filter(({ state }) => state !== 'skipped'));
  const allSessions = countEvidence(asked).sessions;
  if (base === undefined) {
    // No arm completed a session.
    const recorded = others.flatMap(({ runs }) => [...runs.values()]);
    const failing = others.filter(({ failed }) => failed.length > 0);
    const verdict = judgeCandidates(failing.map((arm) => toCandidate(arm, recorded)));
    return { verdict, allSessions, ...countEvidence([]) };
  }
  const own = keys.flatMap((key) => base.runs.get(key) ?? []);
  const judged = others.filter(({ name }) => name !== RECORDED || baseline !== undefined);
  const failed = countEvidence(base.failed).sessions;
  const verdict = judgeCandidates(
    judged.map((arm) => toCandidate(arm, own)),
    base.name,
  ).map((one) => (failed > 0 ? { ...one, baselineFailedSessions: failed } : one));
  const steps = base.failed.flatMap(({ failedAtStep }) => failedAtStep ?? []);
  const runs = [own, ...judged.map((arm) => [...arm.runs.values()])].flat();
  const lacking = countEvidence(runs.filter(({ lacksRereads }) => lacksRereads)).sessions;
  const idle = failed > 0 ? undefined : idleIn(verdict, runs);
  return {
    verdict,
    allSessions,
    baseline: {
      name: base.name,
      costUsd: totalOf(own, ({ costUsd }) => costUsd),
      losses: totalOf(own, ({ losses }) => losses),
      ...(own.some(({ areExpected }) => areExpected) && { areLossesExpected: true as const }),
      ...(own.some(({ isIll }) => isIll) && { isIll: true as const }),
      ...(steps.length > 0 && { failedAtStep: Math.min(...steps) }),
    },
    ...known({ idle, withoutRereads: lacking || undefined }),
    ...countEvidence(own),
  };
}

/** Judges changes beside each other: the more there are, the surer each has to be. */
export function judgeTried(candidates: readonly Candidate[]): readonly TriedChange[] {
  return judgeCandidates(candidates).map(
    ({ change: _change, baseline: _today, ...verdict }, index) => {
      const matched = candidates[index]?.matched ?? [];
      const idle = matched.filter(({ a, b }) => a.hasActed === false && b.hasActed === false);
      const lacking = matched.filter(({ a, b }) => a.lacksRereads || b.lacksRereads).length;
      const withoutRereads = lacking || undefined;
      return { ...verdict, idleSessions: idle.length, ...known({ withoutRereads }) };
    },
  );
}

/** The order of advice: what is shown, surely saves, saves at all, loses least, saves most. */
export function bySupport(one: Supported, other: Supported) {
  const [first = [], second = []] = [one, other].map((change) => {
    const { from, high } = spentOf(change);
    // What certainly loses more for good stands behind what is as well supported.
    return [
      TOLD_FIRST.indexOf(change.state) + (change.losesMore ? 1 / 2 : 0),
      high !== null && high < (from ?? 0) ? 0 : 1,
      savedBy(change) > 0 ? 0 : 1,
      (change.losses.to ?? 0) - (change.losses.from ?? 0),
      -savedBy(change),
    ];
  });
  const differences = first.map((value, place) => value - (second[place] ?? 0));
  return differences.find((value) => value !== 0) ?? 0;
}

/** Tests if a change is better, or open and saves so much that it matters. */
export function isWorthTrying(change: Supported, isOtherGoal = false) {
  const { state, differing } = change;
  const { from, to } = spentOf(change);
  const isSaving = from !== null && to !== null && to < from * (SAME_COST.region?.low ?? 1);
  const isOpen = state === 'not enough data' && differing > 0;
  return state === 'better' || (isOpen && (isOtherGoal || isSaving));
}

/** The best supported change that is worth trying, else the cheapest that makes a difference. */
export function pickBest<Change extends Supported>(all: readonly Change[]): Change | undefined {
  const sorted = all.toSorted(bySupport);
  const [cheapest = sorted[0]] = sorted
    .filter(({ state }) => state !== 'no effect' && state !== 'does nothing' && state !== 'fails')
    .toSorted((one, other) => savedBy(other) - savedBy(one));
  return sorted.find((one) => isWorthTrying(one)) ?? cheapest;
}

/** Money, or tokens, that a change saves; below zero where it costs more. */
export function savedBy(change: Supported) {
  const { from, to } = spentOf(change);
  return (from ?? 0) - (to ?? 0);
}

/** Totals in dollars; without a price, of the tokens that are processed. */
export function spentOf({ costUsd, tokens }: Supported) {
  return { ...(tokens ?? costUsd), isTokens: tokens !== undefined };
}

/** Dollars decide where all are known, else tokens. */
function judgeCandidates(candidates: readonly Candidate[], baseline = ''): readonly ArmVerdict[] {
  const arms = candidates.map(({ matched, failed }) => {
    const isPriced = matched.every(({ a, b }) => a.costUsd !== null && b.costUsd !== null);
    const unit = isPriced ? 'costUsd' : 'tokens';
    const pairs = matched.flatMap(({ a, b }) => {
      const [base, arm] = [a[unit], b[unit]];
      if (typeof base !== 'number' || typeof arm !== 'number') return [];
      return [{ cluster: clusterOf(a), base, arm, differs: differ(a, b) }];
    });
    return { isPriced, pairs, failed };
  });
  const judged = judgeArms(arms);
  return candidates.flatMap((candidate, index) => {
    const [arm, judgement] = [arms[index], judged[index]];
    if (arm === undefined || judgement === undefined) return [];
    return [{ change: candidate.name, baseline, ...toVerdict(candidate, judgement, arm.isPriced) }];
  });
}

function differ(a: ArmRun, b: ArmRun) {
  if (a.losses !== b.losses || a.compactions !== b.compactions) return true;
  const isPriced = a.costUsd !== null && b.costUsd !== null;
  const [one, other] = isPriced ? [a.costUsd, b.costUsd] : [a.tokens, b.tokens];
  return !isAsGoodAsEqual(one ?? 0, other ?? 0);
}

function toCandidate({ name, runs, failed }: MeasuredArm, own: readonly ArmRun[]): Candidate {
  const matched = own.flatMap((a) => {
    const b = runs.get(a.key);
    return b === undefined ? [] : [{ a, b }];
  });
  // A session of the baseline that ends earlier says nothing of where this arm broke off.
  const stepsOf = new Map(own.map(({ key, steps }) => [key, steps ?? 0]));
  const [failedAt] = failed
    .map(({ key, failedAtStep: step = Infinity }) => ({ step, steps: stepsOf.get(key) ?? 0 }))
    .filter(({ step, steps }) => step <= steps)
    .toSorted((one, other) => one.step - other.step);
  const count = countEvidence(failed).sessions;
  return { name, matched, failed: count, ...known({ failedAt }) };
}

function toVerdict(
  { matched, failed, failedAt }: Candidate,
  judgement: ArmJudgement,
  isPriced: boolean,
): Supported {
  const { from, to, interval, needed, differing, sessions } = judgement;
  const both = (valueOf: (run: ArmRun) => number | null) => ({
    from: totalOf(matched, ({ a }) => valueOf(a)),
    to: totalOf(matched, ({ b }) => valueOf(b)),
  });
  const judged = { from, to, low: interval?.low ?? null, high: interval?.high ?? null };
  const costUsd =
    isPriced && sessions > 0 ? judged : { ...both((run) => run.costUsd), low: null, high: null };
  const isLeast = matched.some(({ a }) => a.isLeast);
  // A baseline that costs at least so much can be shown to be dearer, but neither cheaper nor equal.
  const isShown = !isLeast || judgement.state === 'better' || judgement.state === 'fails';
  const state = isShown ? judgement.state : 'not enough data';
  const lost = both((run) => run.lostForGood ?? null);
  return {
    costUsd: { ...costUsd, ...(isLeast && { isFromLeast: true }) },
    ...(!isPriced && sessions > 0 && { tokens: judged }),
    losses: {
      ...both(({ losses }) => losses),
      ...(matched.some(({ a, b }) => a.areExpected || b.areExpected) && { areExpected: true }),
    },
    ...(lost.from !== null &&
      lost.to !== null && { lostForGood: { from: lost.from, to: lost.to } }),
    state,
    ...(losesMore(matched) && { losesMore: true }),
    ...known({ failedSessions: failed || undefined, failedAt }),
    ...countEvidence(matched.map(({ a }) => a)),
    differing,
    ...(state === 'not enough data' && typeof needed === 'number' && { sessionsNeeded: needed }),
  };
}

function losesMore(matched: readonly Matched[]) {
  const pairs = matched.flatMap(({ a: { lostForGood: a, ...run }, b: { lostForGood: b } }) =>
    typeof a === 'number' && typeof b === 'number' ? [{ a, b, cluster: clusterOf(run) }] : [],
  );
  return (pairedMeanDifference(pairs, { seed: 1, resamples: 2_000 })?.interval?.low ?? 0) > 0;
}

function idleIn(verdict: readonly ArmVerdict[], runs: readonly ArmRun[]): Conclusion['idle'] {
  const isIdle = verdict.every(
    ({ change, baseline, state }) =>
      state === 'no effect' || state === 'does nothing' || [change, baseline].includes(RECORDED),
  );
  const hasActed = runs.some((run) => run.hasActed !== false);
  if (verdict.length === 0 || !isIdle || hasActed) return undefined;
  const [nearest] = runs
    .flatMap(({ edgeTokens, largestTokens }) =>
      edgeTokens === undefined ? [] : [{ edgeTokens, largestTokens: largestTokens ?? 0 }],
    )
    .toSorted((a, b) => a.edgeTokens - a.largestTokens - (b.edgeTokens - b.largestTokens));
  return nearest ?? { largestTokens: Math.max(...runs.map((run) => run.largestTokens ?? 0)) };
}
