import { checkpointCeiling, DEFAULT_CHECKPOINT_BUFFER_TOKENS } from './checkpoint.ts';
import { type Limits, outputReserve } from './limits.ts';
import type { Usage } from './message.ts';
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
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** What came after the usage was measured, as estimated; absent where a rule does not count it. */
  readonly newerTokens?: number;
}

/** Tokens that a request may have before the policy acts. */
type UsableRule = (limits: Limits, options: OverflowOptions) => number;

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

const outputOf = (limits: Limits, options: OverflowOptions) =>
  outputReserve(limits, options.outputCapTokens);
const lessOutput: UsableRule = (limits, options) =>
  limits.contextTokens - outputOf(limits, options);
const lessOutputUnderFixedCap = (limits: Limits) =>
  limits.contextTokens - outputReserve(limits, FIXED_OUTPUT_CAP_TOKENS);
const reserved = (limits: Limits, options: OverflowOptions) =>
  options.reservedTokens ?? Math.min(DEFAULT_RESERVED_TOKENS, outputOf(limits, options));
const inputCapLessReserved: UsableRule = (limits, options) =>
  limits.inputTokens ? limits.inputTokens - reserved(limits, options) : lessOutput(limits, options);

/**
 * Overflow rules by the release from which each holds, then those that only a document has.
 * Sources: OpenCode release history (O1–O10), design documents 002 and 004.
 */
export const overflowRules = {
  /** O1. */
  'v0.7': {
    count: countAll,
    usable: (limits) => Math.max(0, lessOutputUnderFixedCap(limits) * 0.9),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O2: a value for debugging that was released for a day. */
  'v0.7.4': {
    count: countWithoutCacheWrite,
    usable: (limits) => lessOutputUnderFixedCap(limits) / 2,
    comparison: '>',
    zeroContextIsUnlimited: false,
  },
  /** O3. */
  'v0.7.6': {
    count: countWithoutCacheWrite,
    usable: lessOutputUnderFixedCap,
    comparison: '>',
    zeroContextIsUnlimited: false,
  },
  /** O4 and O5, until 1.1.22; the cap on one answer can be set since 1.0.165. */
  'v0.8.0': {
    count: countWithoutCacheWrite,
    usable: lessOutput,
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O6; design document 000. */
  'v1.1.23': {
    count: countWithoutCacheWrite,
    usable: (limits, options) => limits.inputTokens || lessOutput(limits, options),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O7; design document 001. */
  'v1.1.57': {
    count: countTotal,
    usable: (limits, options) =>
      (limits.inputTokens || limits.contextTokens) - reserved(limits, options),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O8; design document 003. */
  'v1.1.60': {
    count: countTotal,
    usable: inputCapLessReserved,
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O9 and O10, until 1.18. */
  'v1.14.19': {
    count: countTotal,
    usable: (limits, options) =>
      limits.contextTokens === 0 ? 0 : Math.max(0, inputCapLessReserved(limits, options)),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** The 2.0 engine: all kinds of tokens, the reserve as its buffer. */
  'v2.0': {
    count: countEverything,
    usable: (limits, options) =>
      checkpointCeiling(limits, options.reservedTokens ?? DEFAULT_CHECKPOINT_BUFFER_TOKENS),
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** As O6, but an input limit of 0 is a limit. */
  'document-002': {
    count: countWithoutCacheWrite,
    usable: (limits, options) => limits.inputTokens ?? lessOutput(limits, options),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** Nine tenths of the window, whatever the answer may take. */
  'document-004': {
    count: countWithoutCacheWrite,
    usable: (limits) => limits.contextTokens * 0.9,
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
  const isUnlimited = rule.zeroContextIsUnlimited && limits.contextTokens === 0;
  const isOver = rule.comparison === '>' ? countTokens > usableTokens : countTokens >= usableTokens;
  return {
    countTokens,
    usableTokens,
    comparison: rule.comparison,
    isOverflow: !isUnlimited && isOver,
  };
}
