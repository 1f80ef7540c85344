/** Runs scenarios against a compactor. */

import { type Policy, policies } from '../../../engine/index.ts';
import { createEnv } from '../../env.ts';
import { HarnessError } from '../../errors.ts';
import type { RunEvent } from '../../events.ts';
import { UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { endingOf, recordRun } from '../../metrics/record.ts';
import { OWN_SUMMARIES } from '../../replay/foreign/own-summaries.ts';
import { runForeign } from '../../replay/foreign/run-foreign.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type {
  ExpectationFailure,
  ScenarioResult,
  ScenarioRunResult,
} from '../../report/check/result.ts';
import type { Scenario } from '../../scenario/file/scenario.ts';
import type { Observation } from '../check/observe.ts';
import { createPrepare } from '../check/prepare.ts';
import { type ResolvedRun, resolveRun, unaskedSummarizer } from '../check/resolve-run.ts';
import type { CheckEnvironment } from '../check/run-scenario.ts';
import type { OpenCompactor } from './command-compactor.ts';
import { nextStep } from './result.ts';
import { ADAPTER_NAME } from '../gate/log.ts';

/** What a run is made of besides its trace, as far as it matters to an adapter. */
type AdapterRunOptions = Pick<AsyncRunOptions, 'model' | 'seed' | 'faults'>;

/** A run as far as it came. */
interface Observed extends Partial<Pick<Observation, 'events' | 'broken'>> {
  readonly ending?: Pick<ScenarioRunResult, 'state' | 'reason' | 'metrics'>;
}

/** Stands for what an adapter does, which nobody knows; it sends what it is given. */
export const ADAPTER_POLICY: Policy = { ...policies.none, name: ADAPTER_NAME };

/**
 * Runs the sessions of a scenario against somebody's own compaction: each session with each model once. What the file
 * expects of presets does not apply; a run passes where it is completed and no law is broken.
 */
export async function runOnAdapter(
  { file, name, runs }: Scenario,
  environment: CheckEnvironment,
  open: () => OpenCompactor,
): Promise<ScenarioResult> {
  const names = { catalog: environment.catalog, findSummarizer: unaskedSummarizer };
  const resolved = distinct(runs.map((run) => resolveRun(run, file, names)));
  const prepare = createPrepare();
  const results: ScenarioRunResult[] = [];
  for (const run of resolved) {
    const prepared = prepare(run, await environment.countOf(run.options.model.id));
    if (prepared.state === 'failed') results.push(toResult(run, { broken: prepared.reason }));
    else {
      const { trace, control } = prepared;
      const observed = await observeAdapter(trace, run.options, open);
      const ending = endingOf(recordRun(keyOf(run), observed.events, { control }));
      results.push(
        toResult(run, observed.broken === undefined ? { ...observed, ending } : observed),
      );
    }
  }
  const passed = results.every(({ failures }) => failures.length === 0);
  return { file, name, runs: results, passed };
}

/** Watches a run against somebody's own compaction until it ends, or breaks off by what that does. */
export async function observeAdapter(
  trace: Trace,
  { model, seed, faults = [] }: AdapterRunOptions,
  open: () => OpenCompactor,
): Promise<Pick<Observation, 'events' | 'broken'>> {
  const events: RunEvent[] = [];
  const compactor = open();
  const env = createEnv(seed);
  const run = { compactor: compactor.compact, name: ADAPTER_NAME, model, seed, env, faults };
  try {
    for await (const event of runForeign(trace, run)) events.push(event);
    return { events };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { events, broken: error.message };
  } finally {
    compactor.end();
  }
}

/** Runs that differ in what an adapter does not see are one. */
function distinct(runs: readonly ResolvedRun[]): readonly ResolvedRun[] {
  const seen = new Map<string, ResolvedRun>();
  for (const run of runs) {
    const { session, options } = run;
    const faults = options.faults?.filter(({ on }) => on === 'step' || on === 'usage');
    const { overheadTokens, scale } = run.run.session;
    const tokens = [overheadTokens, scale];
    const key = JSON.stringify([session, tokens, options.model, faults, options.seed]);
    if (!seen.has(key)) seen.set(key, run);
  }
  return [...seen.values()];
}

function toResult(
  resolved: ResolvedRun,
  { events = [], broken, ending }: Observed,
): ScenarioRunResult {
  const { state, reason, metrics } = ending ?? {
    state: 'failed' as const,
    reason: broken,
    metrics: UNKNOWN_METRICS,
  };
  const { at } = resolved.run.expect.state;
  const failure = (expected: string, got: string): ExpectationFailure => ({ ...at, expected, got });
  const isBad = state !== 'completed';
  const place = `${state} at step ${faultyStep(events)}`;
  const got = reason === undefined ? place : `${place} (${reason})`;
  return {
    name: resolved.run.name,
    policy: ADAPTER_NAME,
    state,
    ...(reason !== undefined && { reason }),
    failures: isBad ? [failure('the adapter to complete the run and keep all laws', got)] : [],
    metrics,
    events,
    made: { ...keyOf(resolved), resolvedPolicy: ADAPTER_POLICY },
  };
}

/** The step of the first law that was broken, else the one that the run did not get beyond. */
function faultyStep(events: readonly RunEvent[]): number {
  const first = events.findIndex(({ type }) => type === 'law-violated');
  return nextStep(first === -1 ? events : events.slice(0, first));
}

function keyOf({ session, options: { model, seed } }: ResolvedRun) {
  return {
    session: session.name,
    policy: ADAPTER_NAME,
    model: model.id,
    summarizer: OWN_SUMMARIES,
    seed,
  };
}
