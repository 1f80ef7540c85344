/** Arithmetic that usable and overflow rules share. */

import { type Limits } from '../state.ts';
import { reserveOutput } from '../limits.ts';
import { type Arithmetic, inTokens } from '../term.ts';
import { context, type Formula } from './usable.ts';

/** Reserve of the rules that know one, where the policy sets none. */
const DEFAULT_RESERVED_TOKENS = 20_000;
/** The cap on one answer in the releases that could not be told another. */
const FIXED_OUTPUT_CAP_TOKENS = 32_000;

/** What is left of an amount without another one. */
export const without =
  (whole: Formula, part: Formula): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.difference(whole(limits, options, arithmetic), part(limits, options, arithmetic));
/** The window without what an answer may take. */
export const lessOutput = without(context, (limits, { outputCapTokens }, arithmetic) =>
  reserveOutput(limits, outputCapTokens, arithmetic),
);
/** The window without what an answer may take under a cap that cannot be told otherwise. */
export const lessOutputUnder = (capTokens: number): Formula =>
  without(context, (limits, _, arithmetic) => reserveOutput(limits, capTokens, arithmetic));
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
