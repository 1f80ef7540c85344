import { type Limits } from '../state.ts';
import { type Arithmetic, inTerms, inTokens, type Term } from '../term.ts';

/** What a rule may take from the policy besides the model's limits. */
export interface OverflowOptions {
  /** Tokens kept free below the limit; absent means the rule's own default. */
  readonly reservedTokens?: number | undefined;
  /** Share of the window, in the place of the rule's own limit; absent means the rule's own. */
  readonly windowShare?: number | undefined;
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** What came after the usage was measured, as estimated; absent where a rule does not count it. */
  readonly newerTokens?: number;
}

/** Tokens that a request may have before the policy acts. */
export interface UsableRule {
  (limits: Limits, options: OverflowOptions): number;
  /** The usable tokens with how they came about, for explanations. */
  readonly termOf: (limits: Limits, options: OverflowOptions) => Term;
}

/** What is usable, in any arithmetic. */
export type Formula = <Amount>(
  limits: Limits,
  options: OverflowOptions,
  arithmetic: Arithmetic<Amount>,
) => Amount;

/** The whole window. */
export const context: Formula = ({ contextTokens }, _, { value }) =>
  value('context', contextTokens);

/** A rule by its formula; a share of the window, where one is set, takes the formula's place. */
export function usableRule(own: Formula): UsableRule {
  const formula: Formula = (limits, options, arithmetic) =>
    options.windowShare === undefined
      ? own(limits, options, arithmetic)
      : arithmetic.share(context(limits, options, arithmetic), options.windowShare);
  const usable = (limits: Limits, options: OverflowOptions) => formula(limits, options, inTokens);
  const termOf: UsableRule['termOf'] = (limits, options) => formula(limits, options, inTerms);
  return Object.assign(usable, { termOf });
}
