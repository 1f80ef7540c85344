/** The conclusion of every report that compares: each arm against one baseline, over the sessions that both completed. */

import * as z from 'zod';
import { type ArmJudgement, judgeArms, type JudgedArm } from '../metrics/statistics/judge-arms.ts';
import { pairedMeanDifference } from '../metrics/statistics/mean-difference.ts';
import { clusterOf, countEvidence, isAsGoodAsEqual } from '../metrics/statistics/verdict.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Arm, type ArmRun, findCompared, type MeasuredArm, totalOf } from './arms.ts';
import type { Checked } from './saved/shapes.ts';

const Totals = z.object({
  from: z.number().nullable(),
  to: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

/** An arm against the baseline, as JSON reports have it. */
export const ArmVerdictShape = z.object({
  /** The arm that is judged. */
  change: z.string(),
  /** Empty where no arm completed a session. */
  baseline: z.string(),
  /**
   * Net costs, with what is read again: totals of baseline and arm over the sessions that both completed, and the interval of the
   * arm's total that the sessions leave open; `null` where a price is unknown or too few sessions differ. `isFromLeast`: the recording lacks costs of the baseline.
   */
  costUsd: Totals.extend({ isFromLeast: z.literal(true).exactOptional() }),
  /** The same of processed tokens, uncached input and output, which are judged where a price is unknown. */
  tokens: Totals.exactOptional(),
  /** Needs that were not visible, those that no action brings back included; `null` where unknown. */
  losses: z.object({ from: z.number().nullable(), to: z.number().nullable() }),
  /** Those of them that no action brings back; absent where they are unknown. */
  lostForGood: z.object({ from: z.number(), to: z.number() }).exactOptional(),
  /** Of the costs, or without a price of the tokens. */
  state: z.enum([
    'better',
    'worse',
    'no difference that matters',
    'does nothing',
    'no effect',
    'not enough data',
    'fails',
  ]),
  /** The arm certainly loses more for good, whatever it costs. */
  losesMore: z.literal(true).exactOptional(),
  /** Sessions of the baseline that the arm did not complete. */
  failedSessions: z.number().exactOptional(),
  /** The earliest step at which it failed, of how many; absent where nobody says. */
  failedAt: z.object({ step: z.number(), steps: z.number() }).exactOptional(),
  /** Sessions that the baseline itself did not complete. */
  baselineFailedSessions: z.number().exactOptional(),
  /** The evidence that it rests on. */
  sessions: z.number(),
  families: z.number(),
  /** Sessions in which anything differs. */
  differing: z.number(),
  /** Of how many sessions like these four of five draws would decide, 1,001 for any more; absent where it is decided, or too few differ to say. */
  sessionsNeeded: z.number().exactOptional(),
});

export type ArmVerdict = Checked<typeof ArmVerdictShape>;

/** Totals of an arm and its baseline, with the interval of the arm's. */
export type SpendTotals = Checked<typeof Totals>;

/** The evidence of a verdict, as JSON reports have it. */
export const ConclusionShape = z.object({
  /** The arm that all others are held against; absent where none completed a session. */
  baseline: z
    .object({
      name: z.string(),
      costUsd: z.number().nullable(),
      losses: z.number().nullable(),
      /** The earliest step that it did not get past in any session. */
      failedAtStep: z.number().exactOptional(),
    })
    .exactOptional(),
  /** Nothing was cleared or replaced under any arm: the largest request, beside the edge that it came nearest to where there is one. */
  idle: z
    .object({ largestTokens: z.number(), edgeTokens: z.number().exactOptional() })
    .exactOptional(),
  /** Sessions in which something was lost and the price of reading it again is unknown: no cost of theirs has it. */
  withoutRereads: z.number().exactOptional(),
  /** Those that the baseline completed at a known cost, and their families. */
  sessions: z.number(),
  families: z.number(),
  /** Sessions of all arms. */
  allSessions: z.number(),
});

/** The outcome of a report: the verdicts, and the evidence that they rest on. */
export interface Conclusion extends Checked<typeof ConclusionShape> {
  /** In the order of the arms; what was recorded has none, unless a baseline was named. */
  readonly verdict: readonly ArmVerdict[];
}

interface ConcludeOptions {
  /** The arm that all others are held against, where somebody has said so. */
  readonly baseline?: string | undefined;
}

/** A run beside that of the baseline. */
export interface Matched {
  readonly a: ArmRun;
  readonly b: ArmRun;
}

/** An arm with its pairs, and the sessions that it did not complete. */
export interface Candidate {
  readonly name: string;
  readonly matched: readonly Matched[];
  readonly failed: number;
  readonly failedAt?: ArmVerdict['failedAt'] | undefined;
}

type Spend = 'costUsd' | 'tokens';

const DRAWN = { seed: 1, resamples: 2_000 };

/** Holds every arm against the baseline, all judged together; a failing arm shrinks no other's sessions. */
export function conclude(arms: readonly Arm[], { baseline }: ConcludeOptions = {}): Conclusion {
  const { base, others, keys } = findCompared(arms, baseline);
  const asked = arms.flatMap(({ runs }) => runs.filter(({ state }) => state !== 'skipped'));
  const allSessions = countEvidence(asked).sessions;
  if (base === undefined) return { verdict: failuresOf(others), allSessions, ...countEvidence([]) };
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
  return {
    verdict,
    allSessions,
    baseline: {
      name: base.name,
      costUsd: totalOf(own, ({ costUsd }) => costUsd),
      losses: totalOf(own, ({ losses }) => losses),
      ...(steps.length > 0 && { failedAtStep: Math.min(...steps) }),
    },
    ...idleIn(verdict, runs),
    ...(lacking > 0 && { withoutRereads: lacking }),
    ...countEvidence(own),
  };
}

/** Judges arms that were tried together; dollars decide where all are known, else tokens. */
export function judgeCandidates(
  candidates: readonly Candidate[],
  baseline: string,
): readonly ArmVerdict[] {
  const units = candidates.map(({ matched }) => unitOf(matched));
  const judged = judgeArms(
    candidates.map((candidate, index) => toJudged(candidate, units[index] ?? 'tokens')),
  );
  return candidates.flatMap((candidate, index) => {
    const judgement = judged[index];
    const unit = units[index] ?? 'tokens';
    return judgement === undefined ? [] : [toVerdict(candidate, baseline, { judgement, unit })];
  });
}

/** Tests if anything that is told of two runs differs. */
export function differ(a: ArmRun, b: ArmRun): boolean {
  const spent =
    a.costUsd === null || b.costUsd === null ? [a.tokens, b.tokens] : [a.costUsd, b.costUsd];
  const [one, other] = spent;
  if (a.losses !== b.losses || a.compactions !== b.compactions) return true;
  return !isAsGoodAsEqual(one ?? 0, other ?? 0);
}

/** Tests if the second runs certainly lose more that no action brings back: what can be read again is in the cost. */
export function losesMore(matched: readonly Matched[]): boolean {
  const pairs = matched.flatMap(({ a, b }) =>
    typeof a.lostForGood !== 'number' || typeof b.lostForGood !== 'number'
      ? []
      : [{ a: a.lostForGood, b: b.lostForGood, cluster: clusterOf(a) }],
  );
  return (pairedMeanDifference(pairs, DRAWN)?.interval?.low ?? 0) > 0;
}

/** Arms of which none completed a session: there is nothing to hold them against. */
function failuresOf(arms: readonly MeasuredArm[]): readonly ArmVerdict[] {
  const recorded = arms.flatMap(({ runs }) => [...runs.values()]);
  const failing = arms.filter(({ failed }) => failed.length > 0);
  return judgeCandidates(
    failing.map((arm) => toCandidate(arm, recorded)),
    '',
  );
}

function toCandidate({ name, runs, failed }: MeasuredArm, own: readonly ArmRun[]): Candidate {
  const matched = own.flatMap((a) => {
    const b = runs.get(a.key);
    return b === undefined ? [] : [{ a, b }];
  });
  const failedAt = findFirstFailure(failed, own);
  return { name, matched, failed: countEvidence(failed).sessions, failedAt };
}

/** The earliest failure in a session of whose steps there are more. */
function findFirstFailure(
  failed: readonly ArmRun[],
  own: readonly ArmRun[],
): ArmVerdict['failedAt'] {
  const stepsOf = new Map(own.map(({ key, steps }) => [key, steps ?? 0]));
  const places = failed.flatMap(({ key, failedAtStep: step }) => {
    const steps = stepsOf.get(key) ?? 0;
    return step === undefined || step > steps ? [] : [{ step, steps }];
  });
  return places.toSorted((one, other) => one.step - other.step)[0];
}

function unitOf(matched: readonly Matched[]): Spend {
  return matched.every(({ a, b }) => a.costUsd !== null && b.costUsd !== null)
    ? 'costUsd'
    : 'tokens';
}

function toJudged({ matched, failed }: Candidate, unit: Spend): JudgedArm {
  const pairs = matched.flatMap(({ a, b }) => {
    const [base, arm] = [a[unit], b[unit]];
    if (typeof base !== 'number' || typeof arm !== 'number') return [];
    return [{ cluster: clusterOf(a), base, arm, differs: differ(a, b) }];
  });
  return { pairs, failed };
}

function toVerdict(
  { name, matched, failed, failedAt }: Candidate,
  baseline: string,
  { judgement, unit }: { readonly judgement: ArmJudgement; readonly unit: Spend },
): ArmVerdict {
  const isLeast = matched.some(({ a }) => a.isLeast);
  const state = stateOf(judgement, isLeast);
  const { needed } = judgement;
  const costs = unit === 'costUsd' ? totalsOf(judgement) : unknownOf(matched);
  return {
    change: name,
    baseline,
    costUsd: { ...costs, ...(isLeast && { isFromLeast: true }) },
    ...(unit === 'tokens' && judgement.sessions > 0 && { tokens: totalsOf(judgement) }),
    losses: {
      from: totalOf(matched, ({ a }) => a.losses),
      to: totalOf(matched, ({ b }) => b.losses),
    },
    ...forGoodIn(matched),
    state,
    ...(losesMore(matched) && { losesMore: true }),
    ...(failed > 0 && { failedSessions: failed }),
    ...(failedAt && { failedAt }),
    ...countEvidence(matched.map(({ a }) => a)),
    differing: judgement.differing,
    ...(state === 'not enough data' && typeof needed === 'number' && { sessionsNeeded: needed }),
  };
}

/** A baseline that costs at least so much can be shown to be dearer, but neither cheaper nor equal. */
function stateOf({ state }: ArmJudgement, isLeast: boolean): ArmVerdict['state'] {
  return isLeast && state !== 'better' && state !== 'fails' ? 'not enough data' : state;
}

function totalsOf({ from, to, interval, sessions }: ArmJudgement) {
  if (sessions === 0) return { from: null, to: null, low: null, high: null };
  return { from, to, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** The totals of costs that are known on one side alone. */
function unknownOf(matched: readonly Matched[]) {
  return {
    from: totalOf(matched, ({ a }) => a.costUsd),
    to: totalOf(matched, ({ b }) => b.costUsd),
    low: null,
    high: null,
  };
}

function forGoodIn(matched: readonly Matched[]): Pick<ArmVerdict, 'lostForGood'> {
  const from = totalOf(matched, ({ a }) => a.lostForGood ?? null);
  const to = totalOf(matched, ({ b }) => b.lostForGood ?? null);
  return from === null || to === null ? {} : { lostForGood: { from, to } };
}

/** Where no arm did anything, there is nothing to compare; what a recording cost besides is the fit of the simulation. */
function idleIn(verdict: readonly ArmVerdict[], runs: readonly ArmRun[]): Pick<Conclusion, 'idle'> {
  const isIdle = verdict.every(
    ({ change, baseline, baselineFailedSessions, state }) =>
      baselineFailedSessions === undefined &&
      (state === 'no effect' || state === 'does nothing' || [change, baseline].includes(RECORDED)),
  );
  if (verdict.length === 0 || !isIdle || runs.some(({ hasActed }) => hasActed !== false)) return {};
  const [nearest] = runs
    .flatMap(({ edgeTokens, largestTokens }) =>
      edgeTokens === undefined ? [] : [{ edgeTokens, largestTokens: largestTokens ?? 0 }],
    )
    .toSorted((one, other) => distanceOf(one) - distanceOf(other));
  const largestTokens = Math.max(...runs.map((run) => run.largestTokens ?? 0));
  return { idle: nearest ?? { largestTokens } };
}

function distanceOf({ edgeTokens = 0, largestTokens }: NonNullable<Conclusion['idle']>): number {
  return edgeTokens - largestTokens;
}
