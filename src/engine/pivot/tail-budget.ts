import { type Limits } from '../state.ts';
import { overflowRules } from '../overflow.ts';
import type { Policy } from '../policy.ts';
import { preserveBudget } from './tail.ts';

/** Most estimated tokens of newest turns that a pivot keeps on a model; absent where no budget of turns is kept. */
export function tailBudgetTokens(
  { cut, trigger }: Pick<Policy, 'cut' | 'trigger'>,
  limits: Limits,
): number | undefined {
  if (cut.keep !== 'recent-turns') return undefined;
  const { maximumBudgetTokens, tokens: preserveRecentTokens } = cut;
  const usableTokens = overflowRules[trigger.overflow].usable(limits, trigger);
  return preserveBudget(usableTokens, { maximumBudgetTokens, preserveRecentTokens });
}
