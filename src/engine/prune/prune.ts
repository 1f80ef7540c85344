import { type Fold, foldOver } from '../history.ts';
import { isSummary, type Message } from '../message.ts';
import type { Policy } from '../policy.ts';
import type { CleanupPolicy, PrunePolicy } from '../prune-policy.ts';
import {
  changeState,
  type EngineEvent,
  historyOf,
  type LoopState,
  type PassPlan,
  type PrunePlan,
  type Tools,
} from '../state.ts';
import { planPrune } from './by-rank.ts';
import { planCleanup } from './cleanups.ts';
import { joinPlans, markOutputs, overwriteOutputs } from './plan.ts';

interface Pruned {
  readonly state: LoopState;
  readonly plan: PrunePlan;
  readonly event: EngineEvent;
}

type PruneTools = Pick<Tools, 'now' | 'uses'>;

const steps: Fold<Message, number> = {
  start: 0,
  add: (count, message) =>
    message.role === 'assistant' && !isSummary(message) ? count + 1 : count,
};

const NO_CLEANUPS: readonly CleanupPolicy[] = [];

/** Tests if a policy prunes at such moments, with any of its passes. */
export function prunesAt(
  { prune: { enabled, when, cleanups } }: Pick<Policy, 'prune'>,
  moment: PrunePolicy['when'],
): boolean {
  return (enabled && when === moment) || cleanups?.some((rules) => rules.when === moment) === true;
}

/** Tests if a policy prunes at such moments, and now is its step. Source: SWE-agent, `polling`. */
export function isPruneDue(state: LoopState, moment: PrunePolicy['when']): boolean {
  const { everySteps = 1 } = state.policy.prune;
  if (!prunesAt(state.policy, moment)) return false;
  return everySteps <= 1 || foldOver(historyOf(state), steps) % everySteps === 0;
}

/** Runs what a policy prunes at a moment: clean-ups in their order, then the pass. */
export function prune(state: LoopState, moment: PrunePolicy['when'], tools: PruneTools): Pruned {
  const { policy } = state;
  const { enabled, when, cleanups = NO_CLEANUPS } = policy.prune;
  const due = cleanups.filter((rules) => rules.when === moment);
  if (due.length === 0) return prunePass(state, tools);
  const byPass: PassPlan[] = [];
  let next = state;
  for (const rules of due) {
    const { plan, messages } = planCleanup(historyOf(next), { rules, policy, now: tools.now });
    byPass.push({ pass: rules.pass, ...plan });
    if (plan.state === 'fire') next = changeState(next, { history: messages });
  }
  if (enabled && when === moment) {
    const passed = prunePass(next, tools);
    byPass.push({ pass: policy.prune.pass, ...passed.plan });
    next = passed.state;
  }
  const plan = joinPlans(byPass);
  return { state: next, plan, event: { type: 'pruned', plan, byPass } };
}

function prunePass(state: LoopState, tools: PruneTools): Pruned {
  const { policy } = state;
  const history = historyOf(state);
  const planned = planPrune(policy, history, { baseCleared: state.baseCleared, uses: tools.uses });
  const { plan, baseCleared } = planned;
  const event: EngineEvent = { type: 'pruned', plan };
  if (plan.state !== 'fire' && baseCleared === undefined) return { state, plan, event };
  const hidden = markOutputs(history, planned, tools.now);
  const isOverwritten = policy.prune.storedOutput === 'overwritten';
  const next = changeState(state, {
    history: isOverwritten ? overwriteOutputs(hidden, plan, policy.render.clearedOutput) : hidden,
    ...(baseCleared && { baseCleared }),
  });
  return { state: next, plan, event };
}
