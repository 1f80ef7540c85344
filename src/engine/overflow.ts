import type { Limits, OverflowCheck } from './state.ts';
import type { OverflowRuleName } from './policy.ts';
import { checkpointCeiling, DEFAULT_CHECKPOINT_BUFFER_TOKENS } from './overflow/checkpoint.ts';
import {
  atLeastNothing,
  inputCapLessReserve,
  inputCapOr,
  lessOutput,
  lessOutputUnderFixedCap,
  lessReserve,
  ownReserve,
  shareOf,
  unlessUnlimited,
} from './overflow/formulas.ts';
import type { Usage } from './message.ts';
import { peerOverflowRules } from './overflow/peers.ts';
import {
  countAll,
  countEverything,
  type CountRule,
  countTotal,
  countWithoutCacheWrite,
} from './usage.ts';
import { context, type OverflowOptions, usableRule, type UsableRule } from './overflow/usable.ts';

/** One version of the overflow check: a count, what is usable, and how they are compared. */
export interface OverflowRule {
  readonly count: CountRule;
  readonly usable: UsableRule;
  /** Tokens that it keeps free where the policy does not say how many; absent of one that knows no reserve. */
  readonly ownReserve?: (limits: Limits, outputCapTokens: number) => number;
  readonly comparison: '>' | '>=';
  /** Whether a window of 0 switches the check off. */
  readonly zeroContextIsUnlimited: boolean;
}

const NINE_TENTHS = 0.9;
const HALF = 0.5;

/**
 * Overflow rules by the release from which each holds, then those that only a document has, then those of other agents.
 * Sources: OpenCode release history (O1–O10), design documents 002 and 004, comparison of peers.
 */
export const overflowRules = {
  /** O1. */
  'v0.7': {
    count: countAll,
    usable: usableRule(atLeastNothing(shareOf(lessOutputUnderFixedCap, NINE_TENTHS))),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** O2: a value for debugging that was released for a day. */
  'v0.7.4': {
    count: countWithoutCacheWrite,
    usable: usableRule(shareOf(lessOutputUnderFixedCap, HALF)),
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
    usable: usableRule(lessReserve),
    ownReserve,
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O8; design document 003. */
  'v1.1.60': {
    count: countTotal,
    usable: usableRule(inputCapLessReserve),
    ownReserve,
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** O9 and O10, until 1.18. */
  'v1.14.19': {
    count: countTotal,
    usable: usableRule(unlessUnlimited(atLeastNothing(inputCapLessReserve))),
    ownReserve,
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** The 2.0 engine: all kinds of tokens, the reserve as its buffer. */
  'v2.0': {
    count: countEverything,
    usable: usableRule(
      (limits, { reservedTokens = DEFAULT_CHECKPOINT_BUFFER_TOKENS }, arithmetic) =>
        checkpointCeiling(limits, reservedTokens, arithmetic),
    ),
    ownReserve: () => DEFAULT_CHECKPOINT_BUFFER_TOKENS,
    comparison: '>=',
    zeroContextIsUnlimited: true,
  },
  /** As O6, but an input limit of 0 is a limit. */
  'document-002': {
    count: countWithoutCacheWrite,
    usable: usableRule((limits, options, arithmetic) =>
      limits.inputTokens === undefined
        ? lessOutput(limits, options, arithmetic)
        : arithmetic.value('input cap', limits.inputTokens),
    ),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  /** Nine tenths of the window, whatever the answer may take. */
  'document-004': {
    count: countWithoutCacheWrite,
    usable: usableRule(shareOf(context, NINE_TENTHS)),
    comparison: '>',
    zeroContextIsUnlimited: true,
  },
  ...peerOverflowRules,
} satisfies Record<OverflowRuleName, OverflowRule>;

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
