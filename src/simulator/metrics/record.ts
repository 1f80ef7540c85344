import type { RunEvent, RunMode, RunState } from '../events.ts';
import { countEach, known } from '../lib/collections.ts';
import type { AsyncRunOptions } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import type { Setup } from '../setup/setup.ts';
import { mediaOf } from './blame.ts';
import { diagnose, type Finding } from './diagnosis.ts';
import { addRegret, costOf, findBounds, foldRun, type RunBounds } from './fold.ts';
import { measure, type MetricValues, UNKNOWN_METRICS } from './metrics.ts';
import { type Baseline, toUsd } from './metric-rows.ts';
import type { Payback } from './totals.ts';

/** Identity of a run. */
export interface RunKey {
  readonly session: string;
  /** Name of the first session that shares this one's beginning; such sessions are not independent. Absent where it is the only one. */
  readonly family?: string;
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  /** Absent in an open loop; the two never stand in one table. */
  readonly mode?: RunMode;
}

/** One run as a row: its identity, its end and its metrics. */
export interface RunRecord extends RunKey {
  readonly state: RunState;
  readonly reason?: string;
  /** Why no such run can exist, though it was simulated to its end; absent where it can. */
  readonly impossible?: string;
  /** The run that its savings are measured against; absent where they are unknown. */
  readonly baseline?: Baseline['name'];
  readonly metrics: MetricValues;
  /** The tokens at which its policy compacts; absent where it did, and where it never does. */
  readonly edgeTokens?: number;
  /** Of the run as recorded: its automatic compactions beside those of its own preset, by the steps before; absent where unknown. */
  readonly fit?: readonly {
    readonly recorded: number | null;
    readonly predicted: number | null;
  }[];
  /** Costs and gains of each prune and pivot; absent for a session that was not run, and of a recorded run. */
  readonly paybacks?: readonly Payback[];
  /** Causes of what is wrong with it, the worst first; absent where nothing is. */
  readonly findings?: readonly Finding[];
}

/** Baselines of a run. */
export interface Against {
  /** Of its savings; absent where there is none. */
  readonly baseline?: Baseline | undefined;
  /** Absent where the bounds cannot be run. */
  readonly runBounds?: RunBounds | undefined;
  /** Tells of media; absent where nobody asks. */
  readonly trace?: Trace | undefined;
  /** Where the agent of a recorded run compacts; absent where unknown. */
  readonly usableTokens?: number | undefined;
  readonly setup?: Setup | undefined;
}

export type CountedState = RunState | 'impossible';

/** A reason with how often it was given. */
export interface CountedReason {
  readonly reason: string;
  readonly times: number;
}

export function keyOfRun(
  session: Pick<RunKey, 'session' | 'family'>,
  names: Pick<RunKey, 'policy' | 'summarizer'>,
  { model, seed, mode }: Pick<AsyncRunOptions, 'model' | 'seed' | 'mode'>,
): RunKey {
  const { policy, summarizer } = names;
  const loop = mode === 'closed-loop' ? { mode } : {};
  return { ...session, policy, model: model.id, summarizer, seed, ...loop };
}

export function modeOf({ mode }: Pick<RunKey, 'mode'>): RunMode {
  return mode ?? 'open-loop';
}

/** The record of a run from its events and those of its bounds. */
export function recordRun(
  key: RunKey,
  events: readonly RunEvent[],
  { baseline, runBounds, trace, usableTokens, setup }: Against = {},
): RunRecord {
  const end = events.findLast((event) => event.type === 'run-end');
  const start = events.find((event) => event.type === 'run-start');
  const folded = foldRun(events);
  const run =
    runBounds?.withRegret(folded) ?? addRegret(folded, modeOf(key) === 'closed-loop', undefined);
  const never = baseline?.name === 'none' && !run.isImpossible ? baseline.totals : undefined;
  const costs = { costUsd: toUsd(costOf(run)), neverUsd: toUsd(never && costOf(never)) };
  const recorded = start?.recording && { setup, textFaults: trace?.textFaults };
  const sources = { mediaOf: trace && mediaOf(trace), usableTokens, ...recorded, ...costs };
  const findings = diagnose(events, sources);
  return {
    ...key,
    state: end?.state ?? 'failed',
    ...known({
      reason: end === undefined ? 'the run has no end' : end.reason,
      impossible: end?.impossible,
      baseline: run.isImpossible ? undefined : baseline?.name,
    }),
    metrics: measure({ run, baseline, bounds: findBounds(run, runBounds?.bounds) }),
    ...known({
      edgeTokens: run.compactions > 0 || run.prunes > 0 ? undefined : start?.usableTokens,
      paybacks: run.recording === undefined ? run.paybacks : undefined,
      findings: findings.length > 0 ? findings : undefined,
    }),
  };
}

/** The end and the metrics of a run. */
export function endingOf({
  state,
  reason,
  metrics,
  findings,
}: RunRecord): Pick<RunRecord, 'state' | 'reason' | 'metrics' | 'findings'> {
  return { state, metrics, ...known({ reason, findings }) };
}

/** How a run counts: by its state, or as impossible. */
export function countsAs({
  state,
  impossible,
}: Pick<RunRecord, 'state' | 'impossible'>): CountedState {
  return impossible === undefined ? state : 'impossible';
}

/** The record of a session that was not run. */
export function recordUnrun(key: RunKey, state: 'failed' | 'skipped', reason: string): RunRecord {
  return { ...key, state, reason, metrics: UNKNOWN_METRICS };
}

/** Reasons with their counts, the most frequent first. */
export function countReasons(reasons: readonly string[]): readonly CountedReason[] {
  return [...countEach(reasons)]
    .map(([reason, times]) => ({ reason, times }))
    .toSorted((a, b) => b.times - a.times);
}
