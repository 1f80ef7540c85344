import { policies } from '../../engine/index.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { CountedState, RunRecord } from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';

export interface Arm {
  readonly name: string;
  readonly runs: readonly ArmRun[];
}

export interface ArmRun {
  /** The same under every arm. */
  readonly key: string;
  readonly session: string;
  readonly family?: string | undefined;
  readonly state: CountedState;
  readonly reason?: string | undefined;
  /** With what is read again. */
  readonly costUsd: number | null;
  /** Absent in a closed loop, whose requests have it. */
  readonly rereadsUsd?: number | null | undefined;
  /** The price of reading again what was lost is unknown, and not in the cost. */
  readonly lacksRereads?: boolean | undefined;
  readonly losses: number | null;
  /** Those that no action brings back. */
  readonly lostForGood?: number | null | undefined;
  /** They are expected values: real summaries tell some of what they replace. */
  readonly areExpected?: boolean | undefined;
  readonly compactions: number | null;
  /** Uncached input and output. */
  readonly tokens?: number | null | undefined;
  /** Outputs were cleared or history was replaced; absent where unknown. */
  readonly hasActed?: boolean | undefined;
  readonly largestTokens?: number | null | undefined;
  /** Where it would have compacted; absent where it did, or nothing would. */
  readonly edgeTokens?: number | undefined;
  readonly steps?: number | null | undefined;
  /** From 1; absent where it completed, or nobody says. */
  readonly failedAtStep?: number | undefined;
  /** Some requests are not recorded. */
  readonly isLeast: boolean;
  /** Something is wrong with it, which is told apart. */
  readonly isIll?: boolean | undefined;
}

type Measured = Pick<RunRecord, 'session' | 'state' | 'mode'> & {
  readonly [Key in 'family' | 'impossible' | 'reason']?: string | undefined;
} & {
  readonly edgeTokens?: number | undefined;
  readonly findings?: unknown;
  readonly metrics: Readonly<Record<string, number | null | undefined>>;
};

export interface MeasuredArm {
  readonly name: string;
  readonly runs: ReadonlyMap<string, ArmRun>;
  readonly failed: readonly ArmRun[];
}

const TOO_LARGE = /^step (?<step>\d+) /;

export function armRunOf(key: string, run: Measured): ArmRun {
  const { session, family, reason, edgeTokens, metrics, mode, state, impossible } = run;
  const { misses = null, compactions = null, steps = null, regretUsd = null } = metrics;
  const { unrecoverableMisses: lostForGood = null, peakContextTokens = null } = metrics;
  const { uncachedTokens = null, cacheWriteTokens, outputTokens, summaryOutputTokens } = metrics;
  const others = [cacheWriteTokens, outputTokens, summaryOutputTokens].map((one) => one ?? 0);
  const isClosed = mode === 'closed-loop';
  const hasEnded = state === 'completed' || state === 'skipped';
  const tooLargeAt = Number(TOO_LARGE.exec(impossible ?? '')?.groups?.['step'] ?? 0);
  const brokeAt = hasEnded || steps === null ? undefined : steps + 1;
  return {
    key,
    session,
    family,
    state: impossible === undefined ? state : 'impossible',
    reason,
    costUsd: netUsdOf(run),
    rereadsUsd: isClosed ? null : regretUsd,
    lacksRereads: !isClosed && Boolean(misses) && regretUsd === null,
    losses: misses === null ? null : misses + (lostForGood ?? 0),
    lostForGood,
    areExpected: Boolean(metrics['expectedMisses']),
    compactions,
    tokens: uncachedTokens === null ? null : uncachedTokens + sum(others),
    hasActed: compactions !== 0 || metrics['prunes'] !== 0,
    largestTokens: peakContextTokens,
    edgeTokens,
    steps,
    failedAtStep: impossible === undefined ? brokeAt : tooLargeAt || undefined,
    isLeast: Boolean(metrics['unrecordedRequests']),
    isIll: run.findings !== undefined,
  };
}

/** With what is read again, as far as that is known. */
export function netUsdOf({ mode, metrics }: Pick<Measured, 'mode' | 'metrics'>) {
  const { costUsd = null, regretUsd } = metrics;
  return costUsd === null || mode === 'closed-loop' ? costUsd : costUsd + (regretUsd ?? 0);
}

/** The sum, to the billionth; unknown where any of them is, or there is none. */
export function totalOf<One>(some: readonly One[], valueOf: (one: One) => number | null) {
  const values = some.flatMap((one) => valueOf(one) ?? []);
  if (values.length < some.length || some.length === 0) return null;
  return Math.round(sum(values) * NANO_USD_PER_USD) / NANO_USD_PER_USD;
}

/** Policies with their runs: those with one session, seed and model belong together. */
export function armsOfPolicies(runs: readonly RunRecord[]): readonly Arm[] {
  const arms = [...groupBy(runs, ({ policy }) => policy)].map(([name, own]) => ({
    name,
    runs: own.map((run) => armRunOf(keyOfArmRun(run), run)),
  }));
  return onEqualTerms(arms);
}

/** Arms with costs of one kind: without reading again in sessions where any lacks its price. */
export function onEqualTerms(arms: readonly Arm[]): readonly Arm[] {
  const simulated = arms.filter(({ name }) => name !== RECORDED).flatMap(({ runs }) => runs);
  const lacking = new Set(simulated.filter((run) => run.lacksRereads).map(({ key }) => key));
  if (lacking.size === 0) return arms;
  return arms.map(({ name, runs }) => ({
    name,
    runs: runs.map((run) => {
      const { key, costUsd, rereadsUsd } = run;
      if (!lacking.has(key) || costUsd === null) return run;
      return { ...run, costUsd: costUsd - (rereadsUsd ?? 0) };
    }),
  }));
}

/** Runs of the same key belong together, whatever the policy. */
export function keyOfArmRun({ session, seed, model }: RunRecord) {
  return JSON.stringify([session, seed, model]);
}

/** Arms measured beside their baseline: the one named, else the first that completed most and compacts; never what was recorded. */
export function findCompared(arms: readonly Arm[], named?: string) {
  const measured = arms.map(measure);
  const base = findBase(measured, named);
  const others = measured.filter((arm) => arm !== base);
  if (base === undefined) return { base, keys: [], others };
  // Failures count where the baseline completed: what no arm can run says nothing of this one.
  const isShared = ({ key }: ArmRun) => base.runs.has(key);
  const beside = others.map(({ name, runs, failed }): MeasuredArm => {
    const shared = [...base.runs.keys()].flatMap((key) => runs.get(key) ?? []);
    return { name, runs: byKey(shared), failed: failed.filter(isShared) };
  });
  return { base, keys: [...base.runs.keys()], others: beside };
}

/** Where an arm has costs, runs without one would leave every total unknown. */
function measure({ name, runs }: Arm) {
  const completed = runs.filter(({ state }) => state === 'completed');
  const priced = completed.filter(({ costUsd }) => costUsd !== null);
  return {
    name,
    runs: byKey(priced.length > 0 ? priced : completed),
    failed: runs.filter(({ state }) => state !== 'completed' && state !== 'skipped'),
  };
}

function byKey(runs: readonly ArmRun[]) {
  return new Map(runs.map((run) => [run.key, run]));
}

function findBase(measured: readonly MeasuredArm[], named?: string) {
  const possible = measured.filter(({ runs }) => runs.size > 0);
  const simulated = possible.filter(({ name }) => name !== RECORDED);
  const sound = simulated.filter(({ failed }) => failed.length === 0);
  const most = simulated.toSorted((one, other) => other.runs.size - one.runs.size);
  const eligible = sound.length > 0 ? sound : most;
  return (
    possible.find(({ name }) => name === named) ??
    eligible.find(({ name }) => name.split(' ', 1)[0] !== policies.none.name) ??
    eligible[0] ??
    (measured.every(({ name }) => name === RECORDED) ? possible[0] : undefined)
  );
}
