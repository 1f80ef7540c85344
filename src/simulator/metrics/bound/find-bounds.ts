import { type Policy, replaceEviction } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { type AsyncRunOptions, runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { foldRun } from '../fold.ts';
import { recordedSteps, type RunTotals } from '../totals.ts';

/** Runs the bounds of a run: first that whose prune knows the future. */
export type RunBounds = () => readonly RunTotals[];

/**
 * How to run a policy with a prune that knows the future, and one that clears in another order with its own prune,
 * too; absent where that would ask a real model. Whoever wants is told of their events.
 */
export function prepareBounds(
  trace: Trace,
  options: AsyncRunOptions,
  tell?: (event: RunEvent) => void,
): RunBounds | undefined {
  const { summarizer, policy, onTransition: _, ...rest } = options;
  if (summarizer.isAsync) return undefined;
  const run = (bound: Policy) =>
    foldRun(told(runTrace(trace, { ...rest, summarizer, policy: bound }), tell));
  return () => boundsOf(policy).map(run);
}

/**
 * The runs that a run is measured against besides itself; a run that missed nothing needs no other. Unknown where no
 * prune fired, for then every bound is the run itself and says nothing of it; where they cannot be run; where parts left
 * without a prune or a pivot, which no prune could have kept; or where the first got to another recorded step.
 */
export function findBounds(
  run: RunTotals,
  runBounds: RunBounds | undefined,
): readonly RunTotals[] | undefined {
  const { misses, hasSlid } = run.regret;
  if (run.prunes === 0) return undefined;
  if (misses === 0) return [];
  if (hasSlid) return undefined;
  const isAsFar = (bound: RunTotals) => recordedSteps(bound) === recordedSteps(run);
  const [first, ...others] = runBounds?.() ?? [];
  return first && isAsFar(first) ? [first, ...others.filter(isAsFar)] : undefined;
}

/** What clears other outputs than its base may do worse than that, though it knows the future. */
function boundsOf(policy: Policy): readonly Policy[] {
  const { evicts, ...prune } = policy.prune;
  const clairvoyant = replaceEviction(policy, 'clairvoyant');
  return evicts === undefined ? [clairvoyant] : [clairvoyant, { ...policy, prune }];
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
