import { findBounds } from '../../metrics/bound/find-bounds.ts';
import { costMetrics } from '../../metrics/cost-metrics.ts';
import { foldRun } from '../../metrics/fold.ts';
import { measureOne } from '../../metrics/metrics.ts';
import { tokenMetrics } from '../../metrics/token-metrics.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { runControl } from '../run/prepare-runs.ts';
import type { Subject } from './subject.ts';
import type { Shown, Target } from './target.ts';

/** What is looked for, and in what. */
export interface Wanted {
  readonly subject: Subject;
  readonly target: Target;
}

/**
 * Runs a trace and works out nothing that the target does not ask for, also no other run that it can be measured against; a
 * run that breaks off has failed.
 */
export async function runFor(
  { subject, target }: Wanted,
  trace: Trace,
  options: AsyncRunOptions,
): Promise<Shown> {
  const watched = { ...options, isBlind: !needsReferences(target) };
  const { events, broken } = await subject.observe(trace, watched);
  if (broken !== undefined) return { events, state: 'failed', reason: broken, metrics: {} };
  const state = events.findLast((event) => event.type === 'run-end')?.state ?? 'failed';
  if (target.type !== 'metric') return { events, state, metrics: {} };
  const run = foldRun(events);
  const value = measureOne(target.metric, {
    run,
    get control() {
      return runControl(trace, watched);
    },
    get bounds() {
      return findBounds(run, subject.prepareBounds(trace, watched));
    },
  });
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
