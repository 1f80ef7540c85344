import { checkpointTerm, DEFAULT_CHECKPOINT_BUFFER_TOKENS } from './checkpoint.ts';
import { type Limits, outputTerm } from './limits.ts';
import type { Usage } from './message.ts';
import { difference, least, most, share, type Term, value } from './term.ts';
import {
  type CountRule,
  countAll,
  countEverything,
  countTotal,
  countWithoutCacheWrite,
} from './usage.ts';

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
  /** The same with how it came about. */
  readonly termOf: (limits: Limits, options: OverflowOptions) => Term;
}

/** One version of the overflow check: a count, what is usable, and how they are compared. */
export interface OverflowRule {
  readonly count: CountRule;
  readonly usable: UsableRule;
  readonly comparison: '>' | '>=';
  /** Whether a window of 0 switches the check off. */
  readonly zeroContextIsUnlimited: boolean;
}

/** What an overflow check compared, and what came out. */
export interface OverflowCheck {
  readonly countTokens: number;
  readonly usableTokens: number;
  readonly comparison: '>' | '>=';
  readonly isOverflow: boolean;
}

/** Reserve of the rules that know one, where the policy sets none. */
const DEFAULT_RESERVED_TOKENS = 20_000;
/** The cap on one answer in the releases that could not be told another. */
const FIXED_OUTPUT_CAP_TOKENS = 32_000;
const NINE_TENTHS = 0.9;
const HALF = 0.5;

type ToTerm = UsableRule['termOf'];

const context = ({ contextTokens }: Limits) => value('context', contextTokens);
const output: ToTerm = (limits, options) => outputTerm(limits, options.outputCapTokens);
const lessOutput: ToTerm = (limits, options) =>
  difference(context(limits), output(limits, options));
const lessOutputUnderFixedCap: ToTerm = (limits) =>
  difference(context(limits), outputTerm(limits, FIXED_OUTPUT_CAP_TOKENS));
const reserve: ToTerm = (limits, options) =>
  options.reservedTokens === undefined
    ? least([value('default reserve', DEFAULT_RESERVED_TOKENS), output(limits, options)], 'reserve')
    : value('reserve as set', options.reservedTokens);
const inputCapOr =
  (fallback: ToTerm): ToTerm =>
  (limits, options) =>
    limits.inputTokens ? value('input cap', limits.inputTokens) : fallback(limits, options);
const inputCapLessReserve: ToTerm = (limits, options) =>
  limits.inputTokens
    ? difference(value('input cap', limits.inputTokens), reserve(limits, options))
    : lessOutput(limits, options);
const atLeastNothing = (term: Term) => most([term, value('nothing', 0)]);

/**
 * Overflow rules by the release from which each holds, then those that only a document has.
 * Sources: OpenCode release history (O1–O10), design documents 002 and 004.
 */
export const overflowRules = {
  /** O1. */
  'v0.7': {
    count: countAll,
    usable: usableRule((limits, options) =>
      atLeastNothing(share(lessOutputUnderFixedCap(limits, options), NINE_TENTHS)),
    ),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O2: a value for debugging that was released for a day. */
  'v0.7.4': {
    count: countWithoutCacheWrite,
    usable: usableRule((limits, options) => share(lessOutputUnderFixedCap(limits, options), HALF)),
    comparison: '>',
    zeroContextIsUnlimited: false,
  },
  /** O3. */
  'v0.7.6': {
    count: countWithoutCacheWrite,
    usable: usableRule(lessOutputUnderFixedCap),
    comparison: '>',
    zeroContextIsUnlimited: false,
  },
  /** O4 and O5, until 1.1.22; the cap on one answer can be set since 1.0.165. */
  'v0.8.0': {
    count: countWithoutCacheWrite,
    usable: usableRule(lessOutput),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O6; design document 000. */
  'v1.1.23': {
    count: countWithoutCacheWrite,
    usable: usableRule(inputCapOr(lessOutput)),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O7; design document 001. */
  'v1.1.57': {
    count: countTotal,
    usable: usableRule((limits, options) =>
      difference(inputCapOr(context)(limits, options), reserve(limits, options)),
    ),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O8; design document 003. */
  'v1.1.60': {
    count: countTotal,
    usable: usableRule(inputCapLessReserve),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O9 and O10, until 1.18. */
  'v1.14.19': {
    count: countTotal,
    usable: usableRule((limits, options) =>
      limits.contextTokens === 0
        ? value('nothing', 0)
        : atLeastNothing(inputCapLessReserve(limits, options)),
    ),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** The 2.0 engine: all kinds of tokens, the reserve as its buffer. */
  'v2.0': {
    count: countEverything,
    usable: usableRule((limits, options) =>
      checkpointTerm(limits, options.reservedTokens ?? DEFAULT_CHECKPOINT_BUFFER_TOKENS),
    ),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** As O6, but an input limit of 0 is a limit. */
  'document-002': {
    count: countWithoutCacheWrite,
    usable: usableRule((limits, options) =>
      limits.inputTokens === undefined
        ? lessOutput(limits, options)
        : value('input cap', limits.inputTokens),
    ),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** Nine tenths of the window, whatever the answer may take. */
  'document-004': {
    count: countWithoutCacheWrite,
    usable: usableRule((limits) => share(context(limits), NINE_TENTHS)),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
} satisfies Record<string, OverflowRule>;

/** The name of an overflow rule. */
export type OverflowRuleName = keyof typeof overflowRules;

/** Compares a finished step's tokens with what the model's limits leave usable. */
export function checkOverflow(
  usage: Usage,
  limits: Limits,
  options: OverflowOptions & { readonly rule: OverflowRuleName },
): OverflowCheck {
  const rule: OverflowRule = overflowRules[options.rule];
  const countTokens = rule.count(usage) + (options.newerTokens ?? 0);
  const usableTokens = rule.usable(limits, options);
  const isOver = rule.comparison === '>' ? countTokens > usableTokens : countTokens >= usableTokens;
  return {
    countTokens,
    usableTokens,
    comparison: rule.comparison,
    isOverflow: isOver && !isUnlimited(rule, limits),
  };
}

/** Whether a model's window switches a rule off. */
export function isUnlimited(
  { zeroContextIsUnlimited }: Pick<OverflowRule, 'zeroContextIsUnlimited'>,
  { contextTokens }: Limits,
): boolean {
  return zeroContextIsUnlimited && contextTokens === 0;
}

function usableRule(ownTermOf: UsableRule['termOf']): UsableRule {
  const termOf: UsableRule['termOf'] = (limits, options) =>
    options.windowShare === undefined
      ? ownTermOf(limits, options)
      : share(context(limits), options.windowShare);
  const usable = (limits: Limits, options: OverflowOptions) => termOf(limits, options).tokens;
  return Object.assign(usable, { termOf });
}
