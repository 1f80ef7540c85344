/** The arms of a report: policies, cells, windows or sides, and the sessions over which they can be compared. */

import { policies } from '../../engine/index.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { type CountedState, countsAs, type RunRecord } from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';

/** A policy, a cell or a window with its runs. */
export interface Arm {
  readonly name: string;
  readonly runs: readonly ArmRun[];
}

/** One run as far as a verdict needs it. */
export interface ArmRun {
  /** The same under every arm. */
  readonly key: string;
  readonly session: string;
  readonly family?: string | undefined;
  readonly state: CountedState;
  /** Why it did not complete; absent where it did, or nobody says. */
  readonly reason?: string | undefined;
  /** With what is read again where something was lost. */
  readonly costUsd: number | null;
  /** Something was lost, and the price of reading it again is unknown and not in the cost. */
  readonly lacksRereads?: boolean | undefined;
  readonly losses: number | null;
  /** Those of them that no action brings back. */
  readonly lostForGood?: number | null | undefined;
  readonly compactions: number | null;
  /** Uncached input and output: what is judged where there is no price. */
  readonly tokens?: number | null | undefined;
  /** Outputs were cleared or history was replaced; unknown of what was not measured. */
  readonly hasActed?: boolean | undefined;
  readonly largestTokens?: number | null | undefined;
  /** The cost is at least that: some requests are not recorded. */
  readonly isLeast: boolean;
}

/** The part of a record that an arm's run is made of. */
type Measured = Pick<RunRecord, 'session' | 'state' | 'mode'> & {
  readonly family?: string | undefined;
  readonly impossible?: string | undefined;
  readonly reason?: string | undefined;
  readonly metrics: Readonly<Record<string, number | null | undefined>>;
};

/** An arm with its completed runs by their keys, and those that it was asked for and did not complete. */
export interface MeasuredArm {
  readonly name: string;
  readonly runs: ReadonlyMap<string, ArmRun>;
  readonly failed: readonly ArmRun[];
}

/** The facts of a run that a verdict needs. */
export function armRunOf(key: string, run: Measured): ArmRun {
  const { session, family, reason, metrics } = run;
  const { misses = null, compactions = null } = metrics;
  const { unrecoverableMisses, unrecordedRequests } = metrics;
  return {
    key,
    session,
    family,
    state: countsAs(run as Pick<RunRecord, 'state' | 'impossible'>),
    reason,
    costUsd: netUsdOf(run),
    ...(lacksRereads(run) && { lacksRereads: true }),
    losses: misses === null ? null : misses + (unrecoverableMisses ?? 0),
    lostForGood: unrecoverableMisses ?? null,
    compactions,
    tokens: processedIn(metrics),
    hasActed: compactions !== 0 || metrics['prunes'] !== 0,
    largestTokens: metrics['peakContextTokens'] ?? null,
    isLeast: Boolean(unrecordedRequests),
  };
}

/** The cost of a run with what is read again, as in the closed loop; without it where that is unknown. */
export function netUsdOf({ mode, metrics }: Pick<Measured, 'mode' | 'metrics'>): number | null {
  const { costUsd = null, regretUsd } = metrics;
  return costUsd === null || mode === 'closed-loop' ? costUsd : costUsd + (regretUsd ?? 0);
}

/** The tokens that a run processed, uncached input and output with those of summaries; unknown where any is. */
export function processedIn(metrics: Measured['metrics']): number | null {
  const { uncachedTokens, cacheWriteTokens, outputTokens, summaryOutputTokens } = metrics;
  const parts = [uncachedTokens, cacheWriteTokens, outputTokens, summaryOutputTokens];
  return uncachedTokens === undefined || uncachedTokens === null
    ? null
    : sum(parts.map((one) => one ?? 0));
}

/** The sum; unknown where any of them is, or there is none. */
export function totalOf<One>(
  some: readonly One[],
  valueOf: (one: One) => number | null,
): number | null {
  const values = some.flatMap((one) => valueOf(one) ?? []);
  return values.length < some.length || some.length === 0 ? null : sum(values);
}

/** Policies with their runs: those with one session, seed and model belong together. */
export function armsOfPolicies(runs: readonly RunRecord[]): readonly Arm[] {
  return [...groupBy(runs, ({ policy }) => policy)].map(([name, own]) => ({
    name,
    runs: own.map((run) => armRunOf(keyOfArmRun(run), run)),
  }));
}

/** Runs of the same key belong together, whatever the policy. */
export function keyOfArmRun({ session, seed, model }: RunRecord): string {
  return JSON.stringify([session, seed, model]);
}

/**
 * The arm that others are held against, with every arm as measured beside it: the one that is named, else the first policy that
 * compacts and completed every session. What was recorded is never taken unasked.
 */
export function findCompared(arms: readonly Arm[], named?: string) {
  const measured = arms.map(completedOf);
  const base = findBase(measured, named);
  const keys = [...(base?.runs.keys() ?? [])];
  const others = measured.filter((arm) => arm !== base);
  return { base, keys, others: others.map((arm) => besides(arm, keys)) };
}

function findBase(measured: readonly MeasuredArm[], named?: string): MeasuredArm | undefined {
  const possible = measured.filter(({ runs }) => runs.size > 0);
  const simulated = possible.filter(({ name }) => name !== RECORDED);
  const compacting = simulated.filter(({ name }) => name.split(' ', 1)[0] !== policies.none.name);
  return (
    possible.find(({ name }) => name === named) ??
    compacting.find(({ failed }) => failed.length === 0) ??
    compacting[0] ??
    simulated[0] ??
    possible[0]
  );
}

/** Failures count where the baseline completed: what no arm can run says nothing of this one. */
function besides({ name, runs, failed }: MeasuredArm, keys: readonly string[]): MeasuredArm {
  const shared = keys.flatMap((key) => runs.get(key) ?? []);
  const own = new Set(keys);
  return {
    name,
    runs: new Map(shared.map((run) => [run.key, run])),
    failed: failed.filter(({ key }) => own.has(key)),
  };
}

/** Completed runs by their keys; where an arm has costs, those without one would leave every total unknown. */
function completedOf({ name, runs }: Arm): MeasuredArm {
  const completed = runs.filter(({ state }) => state === 'completed');
  const priced = completed.filter(({ costUsd }) => costUsd !== null);
  const counted = priced.length > 0 ? priced : completed;
  return {
    name,
    runs: new Map(counted.map((run) => [run.key, run])),
    failed: runs.filter(({ state }) => state !== 'completed' && state !== 'skipped'),
  };
}

function lacksRereads({ mode, metrics }: Measured): boolean {
  const { misses, regretUsd } = metrics;
  return mode !== 'closed-loop' && Boolean(misses) && typeof regretUsd !== 'number';
}
