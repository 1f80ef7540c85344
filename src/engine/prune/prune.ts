import { changeState } from '../change-state.ts';
import type { Message } from '../message.ts';
import type { Tools } from '../tools.ts';
import type { EngineEvent, LoopState } from '../transition.ts';
import {
  planByRank,
  planPass,
  type RankedPrune,
  type RankKnowledge,
  type RankRules,
} from './by-rank.ts';
import { applyPrune, overwriteOutputs, type PrunePlan } from './plan.ts';

/** What a prune changed, and the plan behind it. */
export interface Pruned {
  readonly state: LoopState;
  readonly plan: PrunePlan;
  readonly event: EngineEvent;
}

/** Runs a policy's prune over the whole history. */
export function prune(state: LoopState, { now, uses }: Pick<Tools, 'now' | 'uses'>): Pruned {
  const { policy } = state;
  const { plan, ...base } = planPrune(policy, state.history, {
    baseCleared: state.baseCleared,
    uses,
  });
  const hidden = applyPrune(state.history, plan, now);
  const history =
    policy.prune.storedOutput === 'overwritten'
      ? overwriteOutputs(hidden, plan, policy.render.clearedOutput)
      : hidden;
  return { state: changeState(state, { ...base, history }), plan, event: { type: 'pruned', plan } };
}

/** What a policy's prune would do to a history, and what its pass would have cleared where another order holds. */
export function planPrune(
  policy: RankRules,
  history: readonly Message[],
  knowledge: RankKnowledge = {},
): Pick<Pruned, 'plan'> | RankedPrune {
  const { evicts } = policy.prune;
  return evicts === undefined
    ? { plan: planPass(history, policy) }
    : planByRank(history, { ...policy, evicts }, knowledge);
}
