import { replaceEviction } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { type AsyncRunOptions, runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { foldRun } from '../fold.ts';
import { recordedSteps, type RunTotals } from '../totals.ts';

/** Runs the bound of a run. */
export type RunBound = () => RunTotals;

/**
 * How to run a policy with a prune that knows the future; absent where that would ask a real model. Whoever wants is
 * told of its events.
 */
export function prepareBound(
  trace: Trace,
  options: AsyncRunOptions,
  tell?: (event: RunEvent) => void,
): RunBound | undefined {
  const { summarizer, policy, onTransition: _, ...rest } = options;
  if (summarizer.isAsync) return undefined;
  const clairvoyant = replaceEviction(policy, 'clairvoyant');
  const bound = { ...rest, summarizer, policy: clairvoyant };
  return () => foldRun(told(runTrace(trace, bound), tell));
}

function* told(
  events: Iterable<RunEvent>,
  tell: ((event: RunEvent) => void) | undefined,
): Generator<RunEvent, void, void> {
  for (const event of events) {
    tell?.(event);
    yield event;
  }
}

/**
 * The run with the prune that knows the future. Where no prune fired the two are one, and a run that missed nothing
 * needs no other. Unknown where it cannot be run, or got to another recorded step.
 */
export function findBound(run: RunTotals, runBound: RunBound | undefined): RunTotals | undefined {
  if (run.prunes === 0 || run.regret.misses === 0) return run;
  const bound = runBound?.();
  return bound && recordedSteps(bound) === recordedSteps(run) ? bound : undefined;
}
