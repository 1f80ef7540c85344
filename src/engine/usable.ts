/** The tokens that a request may have before a policy acts, as sums. */

import { type CountUnit, isOfTokens, type TriggerCondition } from './conditions.ts';
import { type CountRule, countTotal } from './usage.ts';

/** The sizes that a model accepts and returns, in tokens. */
export interface Limits {
  /** The context window; 0 means unknown or without limit. */
  readonly contextTokens: number;
  /** A separate cap on input; absent or 0 means none. */
  readonly inputTokens?: number;
  /** The longest answer; absent or 0 means not declared. */
  readonly outputTokens?: number;
}

/** Settings of a usable rule besides the model's limits. */
export interface OverflowOptions {
  /** Tokens kept free below the limit; absent means the rule's own default. */
  readonly reservedTokens?: number | undefined;
  /** Share of the window, in the place of the rule's own limit; absent means the rule's own. */
  readonly windowShare?: number | undefined;
  /** Conditions in the place of the rule's own comparison. */
  readonly anyOf?: readonly (readonly TriggerCondition[])[] | undefined;
  /** Messages and events of the view, where a condition is about them. */
  readonly counts?: Readonly<Record<CountUnit, number>> | undefined;
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** Estimated tokens after the measured usage; absent where a rule does not count them. */
  readonly newerTokens?: number;
}

/** Tokens that a request may have before the policy acts. */
export interface UsableRule {
  (limits: Limits, options: OverflowOptions): number;
  /** The usable tokens with how they came about, for explanations. */
  readonly termOf: (limits: Limits, options: OverflowOptions) => Term;
}

/** One version of the overflow check: a count, what is usable, and how they are compared. */
export interface OverflowRule {
  readonly count: CountRule;
  readonly usable: UsableRule;
  /** Tokens that it keeps free where the policy does not say how many; absent of one that knows no reserve. */
  readonly ownReserve?: (limits: Limits, outputCapTokens: number) => number;
  readonly comparison: '>' | '>=';
  /** A window of 0 switches the check off. */
  readonly zeroContextIsUnlimited: boolean;
  /** It compacts although automatic compaction is switched off; absent means that it does not. */
  readonly ignoresAuto?: true;
}

/** A calculation of the usable tokens. */
export type Formula = (facts: Limits & OverflowOptions) => Term;

/** A number of tokens together with how it came about. */
export type Term =
  | { readonly type: 'value'; readonly name: TermName; readonly tokens: number }
  | {
      readonly type: 'difference';
      readonly tokens: number;
      readonly from: Term;
      readonly less: Term;
    }
  | {
      readonly type: 'least' | 'most';
      /** Meaning of the amount; absent where it is only a choice. */
      readonly name?: TermName;
      readonly tokens: number;
      readonly of: readonly Term[];
    }
  | { readonly type: 'share'; readonly tokens: number; readonly share: number; readonly of: Term };

/** The name of an amount of tokens. */
export type TermName =
  | 'context'
  | 'input cap'
  | 'output'
  | 'declared output'
  | 'cap'
  | 'reserve'
  | 'reserve as set'
  | 'default reserve'
  | 'buffer'
  | 'fixed trigger'
  | 'nothing';

/** A number under its name, whatever the model. */
export const value =
  (name: TermName, tokens: number): Formula =>
  () => ({ type: 'value', name, tokens });

/** One amount less another. */
export const difference =
  (whole: Formula, part: Formula): Formula =>
  (facts) => {
    const [from, less] = [whole(facts), part(facts)];
    return { type: 'difference', tokens: from.tokens - less.tokens, from, less };
  };

const oneOf =
  (type: 'least' | 'most', pick: (...tokens: number[]) => number) =>
  (amounts: readonly Formula[], name?: TermName): Formula =>
  (facts) => {
    const of = amounts.map((amount) => amount(facts));
    return { type, tokens: pick(...of.map(({ tokens }) => tokens)), of, ...(name && { name }) };
  };

/** The smallest of some amounts. */
export const least = oneOf('least', Math.min);

/** The largest of some amounts. */
export const most = oneOf('most', Math.max);

/** A part of an amount; its tokens may be no integer. */
export const share =
  (whole: Formula, part: number): Formula =>
  (facts) => {
    const of = whole(facts);
    return { type: 'share', tokens: of.tokens * part, share: part, of };
  };

/** The whole window. */
export const context: Formula = (facts) => value('context', facts.contextTokens)(facts);

/** The input cap of a model that has one. */
export const inputCapOr =
  (fallback: Formula): Formula =>
  (facts) =>
    (facts.inputTokens ? value('input cap', facts.inputTokens) : fallback)(facts);

/** The input cap, or the window. */
export const inputCapOrContext = inputCapOr(context);

/** Room for an answer: the declared limit under a cap, or the cap. */
export const outputUnder =
  (capTokens: number): Formula =>
  (facts) => {
    const { outputTokens } = facts;
    const declared = outputTokens ? [value('declared output', outputTokens)] : [];
    return least([...declared, value('cap', capTokens)], 'output')(facts);
  };

/** The window less an answer under a cap that cannot be told otherwise. */
export const lessOutputUnder = (capTokens: number) => difference(context, outputUnder(capTokens));

/** The window less an answer under the product's cap. */
export const lessOutput: Formula = (facts) => lessOutputUnder(facts.outputCapTokens)(facts);

/** The reserve that a policy sets, or else a rule's own. */
export const reserveOr =
  (own: Formula): Formula =>
  (facts) => {
    const { reservedTokens } = facts;
    return (reservedTokens === undefined ? own : value('reserve as set', reservedTokens))(facts);
  };

/** Never below 0. */
export const atLeastNothing = (formula: Formula) => most([formula, value('nothing', 0)]);

/** An overflow rule; most need a known window, and leave at least nothing. */
export function ruleOf(
  formula: Formula,
  options: Partial<Omit<OverflowRule, 'usable'>> & {
    readonly ownTokens?: number;
    /** A reserve above the window leaves less than 0. */
    readonly mayBeNegative?: boolean;
    /** A share that is set above the rule's own limit has no effect. */
    readonly isMost?: boolean;
  } = {},
): OverflowRule {
  const { ownTokens, mayBeNegative = false, isMost = false, ...rest } = options;
  return {
    count: countTotal,
    comparison: '>=',
    zeroContextIsUnlimited: true,
    usable: usableRule(mayBeNegative ? formula : atLeastNothing(formula), isMost ? [formula] : []),
    ...(ownTokens !== undefined && { ownReserve: () => ownTokens }),
    ...rest,
  };
}

/**
 * The cap on one answer that a person set as text, or `undefined` where it is none: only whole numbers above 0 count.
 * Source: OpenCode release history (section 10, `OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX`).
 */
export function parseOutputCap(text: string | undefined): number | undefined {
  const tokens = Number(text);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** Tests if a switch is on: `1` or `true` in any case. */
export function parseSwitch(text: string | undefined): boolean {
  return ['1', 'true'].includes(text?.toLowerCase() ?? '');
}

function usableRule(own: Formula, bounds: readonly Formula[]): UsableRule {
  const formula: Formula = (facts) => {
    const { anyOf = [], windowShare } = facts;
    if (windowShare) return oneOr(least, [...bounds, share(context, windowShare)])(facts);
    const lists = anyOf.map((all) => all.filter(isOfTokens)).filter(({ length }) => length > 0);
    const amountOf = (condition: TriggerCondition) => {
      if (condition.unit === 'usable') return own;
      return condition.unit === 'share'
        ? share(context, condition.atLeast)
        : value('fixed trigger', condition.atLeast);
    };
    const amounts = lists.map((all) => oneOr(most, all.map(amountOf)));
    return (amounts.length === 0 ? own : oneOr(least, amounts))(facts);
  };
  const termOf: UsableRule['termOf'] = (limits, options) => formula({ ...options, ...limits });
  const usable = (limits: Limits, options: OverflowOptions) => termOf(limits, options).tokens;
  return Object.assign(usable, { termOf });
}

function oneOr(join: (of: readonly Formula[]) => Formula, of: readonly Formula[]): Formula {
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : join(of);
}
