import { type TriggerCondition, isOfTokens } from './conditions.ts';
import type { CountUnit } from './count-units.ts';
import type { Limits } from './state.ts';

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

/** A calculation of the usable tokens, in any arithmetic. */
export type Formula = <Amount>(
  limits: Limits,
  options: OverflowOptions,
  arithmetic: Arithmetic<Amount>,
) => Amount;

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

/** The steps of a calculation, for amounts of one kind. Formulas are written once and worked out in either kind. */
export interface Arithmetic<Amount> {
  /** A number under its name. */
  readonly value: (name: TermName, tokens: number) => Amount;
  /** Subtracts one amount from another. */
  readonly difference: (from: Amount, less: Amount) => Amount;
  /** The smallest of some amounts. */
  readonly least: (of: readonly Amount[], name?: TermName) => Amount;
  /** The largest of some amounts. */
  readonly most: (of: readonly Amount[], name?: TermName) => Amount;
  /** A part of an amount; its tokens may be no integer, for they are only compared. */
  readonly share: (of: Amount, part: number) => Amount;
}

/** The whole window. */
export const context: Formula = ({ contextTokens }, _, { value }) =>
  value('context', contextTokens);

/** Reserve of the rules that know one, where the policy sets none. */
const DEFAULT_RESERVED_TOKENS = 20_000;
/** The cap on one answer in the releases that could not be told another. */
const FIXED_OUTPUT_CAP_TOKENS = 32_000;

/** Subtracts the amount of one formula from that of another. */
export const without =
  (whole: Formula, part: Formula): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.difference(whole(limits, options, arithmetic), part(limits, options, arithmetic));
/** The window without what an answer may take. */
export const lessOutput = without(context, (limits, { outputCapTokens }, arithmetic) =>
  reserveOutput(limits, outputCapTokens, arithmetic),
);
/** Room for an answer under a cap. */
export const outputUnder =
  (capTokens: number): Formula =>
  (limits, _, arithmetic) =>
    reserveOutput(limits, capTokens, arithmetic);
/** The window without what an answer may take under a cap that cannot be told otherwise. */
export const lessOutputUnder = (capTokens: number): Formula =>
  without(context, outputUnder(capTokens));
/** The window without what an answer may take in releases that could not be told another cap. */
export const lessOutputUnderFixedCap = lessOutputUnder(FIXED_OUTPUT_CAP_TOKENS);
const defaultReserve = <Amount>(
  limits: Limits,
  outputCapTokens: number,
  arithmetic: Arithmetic<Amount>,
): Amount => {
  const output = reserveOutput(limits, outputCapTokens, arithmetic);
  const most = arithmetic.value('default reserve', DEFAULT_RESERVED_TOKENS);
  return arithmetic.least([most, output], 'reserve');
};
/** The reserve that a policy sets, or else a rule's own. */
export const reserveOr =
  (own: Formula): Formula =>
  (limits, options, arithmetic) =>
    options.reservedTokens === undefined
      ? own(limits, options, arithmetic)
      : arithmetic.value('reserve as set', options.reservedTokens);
const reserve = reserveOr((limits, { outputCapTokens }, arithmetic) =>
  defaultReserve(limits, outputCapTokens, arithmetic),
);

/** Amounts as bare numbers of tokens. */
export const inTokens: Arithmetic<number> = {
  value: (_, tokens) => tokens,
  difference: (from, less) => from - less,
  least: (of) => {
    let least = Infinity;
    for (const tokens of of) least = Math.min(least, tokens);
    return least;
  },
  most: (of) => {
    let most = -Infinity;
    for (const tokens of of) most = Math.max(most, tokens);
    return most;
  },
  share: (of, part) => of * part,
};

/** The reserve of a rule where the policy sets none. */
export const ownReserve = (limits: Limits, outputCapTokens: number) =>
  defaultReserve(limits, outputCapTokens, inTokens);
/** The input cap of a model that has one. */
export const inputCapOr =
  (fallback: Formula): Formula =>
  (limits, options, arithmetic) =>
    limits.inputTokens
      ? arithmetic.value('input cap', limits.inputTokens)
      : fallback(limits, options, arithmetic);
/** The input cap, or the window. */
export const inputCapOrContext = inputCapOr(context);
/** Either without the reserve. */
export const lessReserve = without(inputCapOrContext, reserve);
/** An input cap without the reserve, or the window without an answer. */
export const inputCapLessReserve: Formula = (limits, options, arithmetic) =>
  (limits.inputTokens ? lessReserve : lessOutput)(limits, options, arithmetic);
/** A part of an amount. */
export const shareOf =
  (whole: Formula, part: number): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.share(whole(limits, options, arithmetic), part);
/** Nothing where the window is not known. */
export const unlessUnlimited =
  (formula: Formula): Formula =>
  (limits, options, arithmetic) =>
    limits.contextTokens === 0
      ? arithmetic.value('nothing', 0)
      : formula(limits, options, arithmetic);
/** Never below 0. */
export const atLeastNothing =
  (formula: Formula): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.most([formula(limits, options, arithmetic), arithmetic.value('nothing', 0)]);

/** Amounts together with how they came about. */
const inTerms: Arithmetic<Term> = {
  value: (name, tokens) => ({ type: 'value', name, tokens }),
  difference: (from, less) => ({
    type: 'difference',
    tokens: inTokens.difference(from.tokens, less.tokens),
    from,
    less,
  }),
  least: (of, name) => {
    const tokens = inTokens.least(of.map((term) => term.tokens));
    return { type: 'least', tokens, of, ...(name && { name }) };
  },
  most: (of, name) => {
    const tokens = inTokens.most(of.map((term) => term.tokens));
    return { type: 'most', tokens, of, ...(name && { name }) };
  },
  share: (of, part) => ({
    type: 'share',
    tokens: inTokens.share(of.tokens, part),
    share: part,
    of,
  }),
};

/**
 * A rule by its formula; a share of the window, where one is set, takes the formula's place. Of a trigger with conditions,
 * the tokens that are needed at least for one list of them to hold.
 */
export function usableRule(own: Formula): UsableRule {
  const formula: Formula = (limits, options, arithmetic) => {
    const { anyOf = [], windowShare } = options;
    const rule = windowShare === undefined ? own : shareOf(context, windowShare);
    const lists = anyOf.map((all) => all.filter(isOfTokens)).filter(({ length }) => length > 0);
    if (lists.length === 0 || windowShare !== undefined) return rule(limits, options, arithmetic);
    const amountOf = (condition: TriggerCondition) =>
      conditionFormula(condition, rule)(limits, options, arithmetic);
    return oneOrLeast(
      lists.map((all) => oneOrMost(all.map(amountOf), arithmetic)),
      arithmetic,
    );
  };
  const usable = (limits: Limits, options: OverflowOptions) => formula(limits, options, inTokens);
  const termOf: UsableRule['termOf'] = (limits, options) => formula(limits, options, inTerms);
  return Object.assign(usable, { termOf });
}

/** Tokens that an answer may take: the model's own limit under the product's cap, or the cap where none is declared. */
export function outputReserve(limits: Limits, outputCapTokens: number): number {
  return reserveOutput(limits, outputCapTokens, inTokens);
}

/**
 * The cap on one answer that a person set as text, or `undefined` where it is none: only whole numbers
 * above 0 count. Source: OpenCode release history (section 10, `OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX`).
 */
export function parseOutputCap(text: string | undefined): number | undefined {
  const tokens = Number(text);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** Tests if a switch is on: `1` or `true` in any case. */
export function parseSwitch(text: string | undefined): boolean {
  return ['1', 'true'].includes(text?.toLowerCase() ?? '');
}

/** The tokens at which a condition about tokens is met. */
function conditionFormula(condition: TriggerCondition, rule: Formula): Formula {
  if (condition.unit === 'usable') return rule;
  if (condition.unit === 'share') return shareOf(context, condition.atLeast);
  return (_, __, { value }) => value('fixed trigger', condition.atLeast);
}

function oneOrLeast<Amount>(of: readonly Amount[], { least }: Arithmetic<Amount>): Amount {
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : least(of);
}

function oneOrMost<Amount>(of: readonly Amount[], { most }: Arithmetic<Amount>): Amount {
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : most(of);
}

/** The output reserve in any arithmetic: as tokens, or as a term that says how it came about. */
function reserveOutput<Amount>(
  { outputTokens }: Limits,
  outputCapTokens: number,
  { least, value }: Arithmetic<Amount>,
): Amount {
  const cap = value('cap', outputCapTokens);
  return least(outputTokens ? [value('declared output', outputTokens), cap] : [cap], 'output');
}
