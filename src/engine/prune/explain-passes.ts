import { type List, toArray } from '../history.ts';
import type { Message, Part } from '../message.ts';
import type { CleanupName, Policy } from '../policy.ts';
import type { RankKnowledge } from './by-rank.ts';
import { explainPrune, type PruneExplanation } from './explain.ts';
import { applyPrune } from './plan.ts';
import type { PassPlan } from '../state.ts';
import { planCleanup } from './plan-cleanup.ts';

/** What a clean-up found useless. */
export interface CleanupExplanation {
  readonly pass: CleanupName;
  readonly estimatedTokens: number;
  readonly parts: readonly Part[];
}

/** What the passes of a prune came to. */
export interface PassesExplanation {
  /** Those of the clean-ups that found anything. */
  readonly cleanups: readonly CleanupExplanation[];
  /** Absent where the pass itself did not run. */
  readonly prune?: PruneExplanation;
}

/** Explains passes in their order, each over what the one before left of a history. Pure. */
export function explainPasses(
  policy: Policy,
  history: readonly Message[],
  { passes, ...knowledge }: RankKnowledge & { readonly passes: readonly PassPlan[] },
): PassesExplanation {
  const cleanups: CleanupExplanation[] = [];
  let prune: PruneExplanation | undefined;
  let left: List<Message> = history;
  for (const { pass } of passes) {
    const rules = policy.prune.cleanups?.find((one) => one.pass === pass);
    if (rules === undefined) {
      prune = explainPrune(policy, toArray(left), knowledge);
      left = applyPrune(toArray(left), prune.plan, 0);
      continue;
    }
    const { placed, messages } = planCleanup(left, { rules, policy, now: 0 });
    const { state, partIds, estimatedTokens } = placed.plan;
    if (state === 'fire') {
      cleanups.push({ pass: rules.pass, estimatedTokens, parts: partsOf(toArray(left), partIds) });
    }
    left = messages;
  }
  return { cleanups, ...(prune && { prune }) };
}

function partsOf(history: readonly Message[], partIds: readonly string[]): readonly Part[] {
  const parts = new Map(history.flatMap((message) => message.parts).map((part) => [part.id, part]));
  return partIds.flatMap((id) => parts.get(id) ?? []);
}
