import type { RunEvent } from '../../events.ts';
import { foldRun } from '../../metrics/fold.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { Scenario } from '../../scenario/file/scenario.ts';
import { compileSession } from '../../replay/compile.ts';
import { resolveRun } from '../check/resolve-run.ts';
import { type CheckEnvironment, runScenario } from '../check/run-scenario.ts';
import { compileOptionsFor } from '../run/prepare-runs.ts';
import { blindMetric } from './blind-metrics.ts';
import type { Outline } from './outline.ts';
import { createToScenario } from './outline-scenario.ts';
import { isShown, type Target } from './target.ts';
import type { ScenarioFrame } from './write-scenario.ts';

/** Runs outlines as the scenario files that they would become. */
export interface Trial {
  /** What the run comes to; nothing where there is no step. */
  run(outline: Outline): Promise<ScenarioRunResult | undefined>;
  /** Whether the run shows what is looked for, with nothing worked out that this does not ask for. */
  shows(outline: Outline): Promise<boolean>;
}

/** What an outline is tried as, in what, and for what. */
export interface TrialOptions {
  readonly frame: ScenarioFrame;
  readonly target: Target;
  readonly environment: CheckEnvironment;
}

/** A trial of outlines. */
export function createTrial({ frame, target, environment }: TrialOptions): Trial {
  const toScenario = createToScenario(frame);
  const run = async (outline: Outline) => {
    if (isEmpty(outline)) return undefined;
    const { runs } = await runScenario(toScenario(outline), environment);
    return runs[0];
  };
  const runWhole = async (outline: Outline) => {
    const result = await run(outline);
    return result !== undefined && isShown(target, result);
  };
  const isBlind = target.type !== 'metric' || blindMetric(target.metric) !== undefined;
  if (!isBlind) return { run, shows: runWhole };
  return {
    run,
    shows: async (outline) => {
      if (isEmpty(outline)) return false;
      const events = await runBlind(toScenario(outline), environment).catch(() => undefined);
      // What breaks off is told by the run as a whole.
      return events === undefined ? runWhole(outline) : isShownBlind(target, events);
    },
  };
}

function isEmpty({ turns }: Outline): boolean {
  return turns.every(({ steps }) => steps.length === 0);
}

async function runBlind(
  scenario: Scenario,
  { catalog, countOf, findSummarizer }: CheckEnvironment,
): Promise<readonly RunEvent[]> {
  const { run, session, options } = resolveRun(onlyRun(scenario), scenario.file, {
    catalog,
    findSummarizer,
  });
  const { id } = options.model;
  const compiling = compileOptionsFor(id, await countOf(id));
  const { overheadTokens } = run.session;
  const trace = compileSession(session, { ...compiling, overheadTokens });
  return collectRun(trace, { ...options, isBlind: true });
}

function onlyRun({ runs: [run] }: Scenario) {
  if (run === undefined) throw new TypeError('Expected a scenario with a run.');
  return run;
}

function isShownBlind(target: Target, events: readonly RunEvent[]): boolean {
  const state = events.findLast((event) => event.type === 'run-end')?.state ?? 'failed';
  return isShown(target, { events, state, metrics: metricsFor(target, events) });
}

/** Of all metrics only that which is looked for. */
function metricsFor(target: Target, events: readonly RunEvent[]): MetricValues {
  const metric = target.type === 'metric' ? blindMetric(target.metric) : undefined;
  if (target.type !== 'metric' || metric === undefined) return UNKNOWN_METRICS;
  const run = foldRun(events);
  return { ...UNKNOWN_METRICS, [target.metric]: metric.of({ run, control: run }) ?? null };
}
