/** The arms of a report: policies, cells, windows or sides, and the sessions over which they can be compared. */

import { groupBy } from '../lib/collections.ts';
import { type CountedState, countsAs, type RunRecord } from '../metrics/record.ts';
import { countEvidence } from '../metrics/statistics/verdict.ts';
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
  readonly costUsd: number | null;
  readonly losses: number | null;
  readonly compactions: number | null;
  /** The cost is at least that: some requests are not recorded. */
  readonly isLeast: boolean;
}

/** The part of a record that an arm's run is made of. */
type Measured = Pick<RunRecord, 'session' | 'state'> & {
  readonly family?: string | undefined;
  readonly impossible?: string | undefined;
  readonly reason?: string | undefined;
  readonly metrics: Readonly<Record<string, number | null | undefined>>;
};

/** An arm that is no choice, and in how many sessions; others would be compared in the rest alone. */
export interface LeftOutArm {
  readonly arm: string;
  readonly why: 'impossible' | 'incomplete';
  readonly sessions: number;
}

/** The facts of a run that a verdict needs. */
export function armRunOf(key: string, run: Measured): ArmRun {
  const { session, family, reason, metrics } = run;
  const { costUsd = null, misses = null, compactions = null } = metrics;
  const { unrecoverableMisses, unrecordedRequests } = metrics;
  return {
    key,
    session,
    family,
    state: countsAs(run as Pick<RunRecord, 'state' | 'impossible'>),
    reason,
    costUsd,
    losses: misses === null ? null : misses + (unrecoverableMisses ?? 0),
    compactions,
    isLeast: Boolean(unrecordedRequests),
  };
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

/** The arms that are a choice, the baseline among them, and the keys of the runs that all of them completed. */
export function findCompared(arms: readonly Arm[]) {
  const leftOut = arms.flatMap(findUnfit);
  const unfit = new Set(leftOut.map(({ arm }) => arm));
  const fit = arms.filter(({ name }) => !unfit.has(name)).map(completedOf);
  const base = fit.find(({ name }) => name === RECORDED) ?? fit[0];
  const keys = [...(base?.runs.keys() ?? [])].filter((key) =>
    fit.every(({ runs }) => runs.has(key)),
  );
  return { leftOut, fit, base, keys };
}

/** Nobody can choose what is impossible anywhere, and what completed nothing leaves nothing to compare. */
function findUnfit({ name, runs }: Arm): readonly LeftOutArm[] {
  const { sessions: impossible } = countEvidence(
    runs.filter(({ state }) => state === 'impossible'),
  );
  if (impossible > 0) return [{ arm: name, why: 'impossible', sessions: impossible }];
  if (runs.some(({ state }) => state === 'completed')) return [];
  return [{ arm: name, why: 'incomplete', sessions: countEvidence(runs).sessions }];
}

/** Completed runs by their keys; where an arm has costs, those without one would leave every total unknown. */
function completedOf({ name, runs }: Arm) {
  const completed = runs.filter(({ state }) => state === 'completed');
  const priced = completed.filter(({ costUsd }) => costUsd !== null);
  const counted = priced.length > 0 ? priced : completed;
  return { name, runs: new Map(counted.map((run) => [run.key, run])) };
}
