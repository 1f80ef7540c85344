import type { Message } from '../message.ts';
import type { Policy } from '../policy.ts';
import type { EngineEvent, LoopState } from '../transition.ts';
import { planAllOutputs } from './all-outputs.ts';
import { planByAge } from './by-age.ts';
import { applyPrune, overwriteOutputs, type PrunePlan } from './plan.ts';

/** What a prune changed, and the plan behind it. */
export interface Pruned {
  readonly state: LoopState;
  readonly plan: PrunePlan;
  readonly event: EngineEvent;
}

/** Runs a policy's prune over the whole history. */
export function prune(state: LoopState, now: number): Pruned {
  const { policy } = state;
  const plan = planPrune(policy, state.history);
  const hidden = applyPrune(state.history, plan, now);
  const history =
    policy.prune.storedOutput === 'overwritten'
      ? overwriteOutputs(hidden, plan, policy.render.clearedOutput)
      : hidden;
  return { state: { ...state, history }, plan, event: { type: 'pruned', plan } };
}

/** What a policy's prune would do to a history. */
export function planPrune(
  { prune: rules, estimator }: Pick<Policy, 'prune' | 'estimator'>,
  history: readonly Message[],
): PrunePlan {
  return rules.pass === 'by-age'
    ? planByAge(history, rules.byAge, estimator)
    : planAllOutputs(history, estimator);
}
