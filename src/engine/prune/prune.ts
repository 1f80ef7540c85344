import { draftState } from '../change-state.ts';
import type { Message } from '../message.ts';
import type { Policy, PrunePolicy } from '../policy.ts';
import { lengthOf } from '../series/series.ts';
import type { Tools } from '../tools.ts';
import type { EngineEvent, LoopState } from '../transition.ts';
import { planByRank, planPass, type RankKnowledge, type RankRules } from './by-rank.ts';
import { markOutputs, overwriteOutputs, type PlacedPlan, type PrunePlan } from './plan.ts';

/** What a prune changed, and the plan behind it. */
export interface Pruned {
  readonly state: LoopState;
  readonly plan: PrunePlan;
  readonly event: EngineEvent;
}

/** What a policy's prune would do to a history. */
export interface PlannedPrune extends PlacedPlan {
  /** What the pass would have cleared by now, where another order holds. */
  readonly baseCleared?: ReadonlySet<string> | undefined;
}

/** Whether a policy prunes at such moments. */
export function prunesAt(
  { prune: { enabled, when } }: Pick<Policy, 'prune'>,
  moment: PrunePolicy['when'],
): boolean {
  return enabled && when === moment;
}

/** Runs a policy's prune over the whole history. */
export function prune(state: LoopState, { now, uses }: Pick<Tools, 'now' | 'uses'>): Pruned {
  const { policy, history } = state;
  const planned = planPrune(policy, history, { baseCleared: state.baseCleared, uses });
  const { plan, baseCleared } = planned;
  const event: EngineEvent = { type: 'pruned', plan };
  if (plan.state !== 'fire' && baseCleared === undefined) return { state, plan, event };
  const next = draftState(state);
  next.history = clear(state, planned, now);
  if (baseCleared !== undefined) next.baseCleared = baseCleared;
  return { state: next, plan, event };
}

function clear({ policy, history }: LoopState, planned: PlannedPrune, now: number) {
  const hidden = markOutputs(history, planned, now);
  return policy.prune.storedOutput === 'overwritten'
    ? overwriteOutputs(hidden, planned.plan, policy.render.clearedOutput)
    : hidden;
}

/** Plans a policy's prune of a history. */
export function planPrune(
  policy: RankRules,
  history: readonly Message[],
  knowledge: RankKnowledge = {},
): PlannedPrune {
  const { evicts } = policy.prune;
  if (evicts === undefined) return planPass(history, policy);
  const { plan, baseCleared } = planByRank(history, { ...policy, evicts }, knowledge);
  return { plan, baseCleared, length: lengthOf(history) };
}
