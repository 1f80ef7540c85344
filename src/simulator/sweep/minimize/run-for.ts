import type { RunEvent } from '../../events.ts';
import { findBounds, prepareBounds } from '../../metrics/bound/find-bounds.ts';
import { costMetrics } from '../../metrics/cost-metrics.ts';
import { foldRun } from '../../metrics/fold.ts';
import type { MetricInput } from '../../metrics/metric.ts';
import { measureOne } from '../../metrics/metrics.ts';
import { tokenMetrics } from '../../metrics/token-metrics.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { observe } from '../check/observe.ts';
import { runControl } from '../run/prepare-runs.ts';
import type { Shown, Target } from './target.ts';

/** Runs a trace and works out nothing that the target does not ask for; a run that breaks off has failed. */
export async function runFor(
  target: Target,
  trace: Trace,
  options: AsyncRunOptions,
): Promise<Shown> {
  const watched = { ...options, isBlind: !needsReferences(target) };
  const { events, broken } = await observe(trace, watched);
  if (broken !== undefined) return { events, state: 'failed', reason: broken, metrics: {} };
  const state = events.findLast((event) => event.type === 'run-end')?.state ?? 'failed';
  if (target.type !== 'metric') return { events, state, metrics: {} };
  const value = measureOne(target.metric, inputFor(events, trace, watched));
  return { events, state, metrics: { [target.metric]: value } };
}

/** Whether the run has to be watched for what it missed of what was referred to. */
function needsReferences(target: Target): boolean {
  return (
    target.type === 'metric' &&
    !Object.hasOwn(tokenMetrics, target.metric) &&
    !Object.hasOwn(costMetrics, target.metric)
  );
}

/** The sums of a run; those of others that it can be measured against are made when they are asked for. */
function inputFor(
  events: readonly RunEvent[],
  trace: Trace,
  options: AsyncRunOptions,
): MetricInput {
  const run = foldRun(events);
  return {
    run,
    get control() {
      return runControl(trace, options);
    },
    get bounds() {
      return findBounds(run, prepareBounds(trace, options));
    },
  };
}
