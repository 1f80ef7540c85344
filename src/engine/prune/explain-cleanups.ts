import type { Message, Part } from '../message.ts';
import type { Policy } from '../policy.ts';
import type { CleanupName } from './cleanup.ts';
import type { PassPlan } from './plan.ts';
import { planCleanup } from './plan-cleanup.ts';

/** What a clean-up found useless. */
export interface CleanupExplanation {
  readonly pass: CleanupName;
  readonly estimatedTokens: number;
  readonly parts: readonly Part[];
}

/** Clean-ups with what they found, and the history that they left to the pass after them. */
export interface ExplainedCleanups {
  readonly cleanups: readonly CleanupExplanation[];
  readonly history: readonly Message[];
}

/** Explains the clean-ups among plans over a history. Pure. */
export function explainCleanups(
  policy: Pick<Policy, 'prune' | 'estimator' | 'render'>,
  history: readonly Message[],
  plans: readonly PassPlan[],
): ExplainedCleanups {
  const ran = new Set(plans.map(({ pass }) => pass));
  const due = (policy.prune.cleanups ?? []).filter(({ pass }) => ran.has(pass));
  if (due.length === 0) return { cleanups: [], history };
  const parts = partsById(history);
  const cleanups: CleanupExplanation[] = [];
  let left = history;
  for (const rules of due) {
    const { placed, messages } = planCleanup(left, { rules, policy, now: 0 });
    const { state, partIds, estimatedTokens } = placed.plan;
    left = messages;
    if (state !== 'fire') continue;
    const found = partIds.flatMap((id) => parts.get(id) ?? []);
    cleanups.push({ pass: rules.pass, estimatedTokens, parts: found });
  }
  return { cleanups, history: left };
}

function partsById(history: readonly Message[]): ReadonlyMap<string, Part> {
  return new Map(history.flatMap(({ parts }) => parts).map((part) => [part.id, part]));
}
