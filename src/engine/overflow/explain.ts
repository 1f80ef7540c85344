import type { Limits, OverflowCheck } from '../state.ts';
import type { Usage } from '../message.ts';
import { checkOverflow, isUnlimited, type OverflowRule, overflowRules } from '../overflow.ts';
import type { OverflowRuleName } from '../policy.ts';
import type { Term } from '../term.ts';
import type { CountTerm } from '../usage.ts';
import type { OverflowOptions } from './usable.ts';

/** An overflow check with the numbers that it is made of. */
export interface OverflowExplanation {
  readonly check: OverflowCheck;
  readonly rule: OverflowRuleName;
  /** Kinds of tokens that were added; the check's count is their sum and what is newer. */
  readonly counted: readonly CountTerm[];
  /** What came after the usage was measured, as estimated. */
  readonly newerTokens: number;
  readonly usable: Term;
  /** Whether a window of 0 switches the rule off. */
  readonly isUnlimited: boolean;
}

/** Explains a check: the same rule, with every number that went into it. */
export function explainOverflow(
  usage: Usage,
  limits: Limits,
  options: OverflowOptions & { readonly rule: OverflowRuleName },
): OverflowExplanation {
  const rule: OverflowRule = overflowRules[options.rule];
  return {
    check: checkOverflow(usage, limits, options),
    rule: options.rule,
    counted: rule.count.termsOf(usage),
    newerTokens: options.newerTokens ?? 0,
    usable: rule.usable.termOf(limits, options),
    isUnlimited: isUnlimited(rule, limits),
  };
}
