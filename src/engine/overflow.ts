import {
  type ConditionCheck,
  checkConditions,
  firedConditions,
  isOver,
  needsWindow,
} from './conditions.ts';
import type { Usage } from './message.ts';
import { peerOverflowRules } from './peer-overflow.ts';
import {
  atLeastNothing,
  context,
  difference,
  type Formula,
  inputCapOr,
  inputCapOrContext,
  least,
  lessOutput,
  lessOutputUnder,
  type Limits,
  most,
  type OverflowOptions,
  type OverflowRule,
  outputUnder,
  reserveOr,
  ruleOf,
  share,
  type Term,
  value,
} from './usable.ts';
import {
  countAll,
  countEverything,
  countInput,
  type CountTerm,
  countWithoutCacheWrite,
} from './usage.ts';

/** The name of an overflow rule. */
export type OverflowRuleName = keyof typeof overflowRules;

/** The name of a state of the 2.0 engine. */
export type CheckpointRuleName = keyof typeof checkpointRules;

/** A comparison of a count with the usable tokens. */
export interface OverflowCheck {
  readonly countTokens: number;
  readonly usableTokens: number;
  readonly comparison: '>' | '>=';
  readonly isOverflow: boolean;
  /** Of a trigger with conditions, each list of them. */
  readonly conditions?: readonly (readonly ConditionCheck[])[];
}

/** An overflow check with the numbers that it is made of. */
export interface OverflowExplanation {
  readonly check: OverflowCheck;
  readonly rule: OverflowRuleName;
  /** Kinds of tokens that were added; the check's count is their sum and what is newer. */
  readonly counted: readonly CountTerm[];
  /** Estimated tokens after the measured usage. */
  readonly newerTokens: number;
  readonly usable: Term;
  /** A window of 0 switches the rule off. */
  readonly isUnlimited: boolean;
}

/** Settings of a checkpoint rule besides the model's limits. */
export interface CheckpointOptions {
  /** Something besides a person may compact. */
  readonly auto: boolean;
  /** Tokens kept free below the limit. */
  readonly bufferTokens: number;
  /** The newest message is a finished checkpoint. */
  readonly isAfterCheckpoint: boolean;
}

interface CheckpointRule {
  readonly ceiling: (limits: Limits, bufferTokens: number) => number;
  readonly comparison: '>' | '>=';
  /** A count of 0 is taken as unknown, and never compacts. */
  readonly zeroIsUnknown: boolean;
  /** It may compact right after a checkpoint. */
  readonly repeats: boolean;
}

type NamedRule = OverflowOptions & { readonly rule: OverflowRuleName };

const DEFAULT_RESERVED_TOKENS = 20_000;
/** The cap on one answer in the releases that could not be told another, and of the 2.0 engine. */
const OUTPUT_CAP_TOKENS = 32_000;
/** The buffer of the 2.0 engine where none is configured. */
export const DEFAULT_CHECKPOINT_BUFFER_TOKENS = 20_000;

const outputOf = ({ outputTokens = 0 }: Limits) => outputTokens;
const cappedOutputOf = (limits: Limits) => Math.min(outputOf(limits), OUTPUT_CAP_TOKENS);
const lessOutputUnderFixedCap = lessOutputUnder(OUTPUT_CAP_TOKENS);
const defaultReserve: Formula = (facts) =>
  least(
    [value('default reserve', DEFAULT_RESERVED_TOKENS), outputUnder(facts.outputCapTokens)],
    'reserve',
  )(facts);
const ownReserve = (limits: Limits, outputCapTokens: number) =>
  defaultReserve({ ...limits, outputCapTokens }).tokens;
const lessReserve = difference(inputCapOrContext, reserveOr(defaultReserve));
const inputCapLessReserve: Formula = (facts) =>
  (facts.inputTokens ? lessReserve : lessOutput)(facts);
const nothingIfUnlimited: Formula = (facts) =>
  (facts.contextTokens === 0 ? value('nothing', 0) : atLeastNothing(inputCapLessReserve))(facts);
const early = { count: countWithoutCacheWrite, comparison: '>', mayBeNegative: true } as const;
const earliest = { ...early, zeroContextIsUnlimited: false, ignoresAuto: true } as const;

/**
 * Overflow rules by the release from which each holds, then those that only a document has, then those of other agents.
 * Sources: OpenCode release history (O1–O10), design documents 002 and 004, comparison of peers.
 */
export const overflowRules = {
  /** O1. */
  'v0.7': ruleOf(share(lessOutputUnderFixedCap, 0.9), {
    count: countAll,
    comparison: '>',
    ignoresAuto: true,
  }),
  /** O2: a value for debugging that was released for a day. */
  'v0.7.4': ruleOf(share(lessOutputUnderFixedCap, 0.5), earliest),
  /** O3. */
  'v0.7.6': ruleOf(lessOutputUnderFixedCap, earliest),
  /** O4 and O5, until 1.1.22; the cap on one answer can be set since 1.0.165. */
  'v0.8.0': ruleOf(lessOutput, early),
  /** O6; design document 000. */
  'v1.1.23': ruleOf(inputCapOr(lessOutput), early),
  /** O7; design document 001. */
  'v1.1.57': { ...ruleOf(lessReserve, { mayBeNegative: true }), ownReserve },
  /** O8; design document 003. */
  'v1.1.60': { ...ruleOf(inputCapLessReserve, { mayBeNegative: true }), ownReserve },
  /** O9 and O10. */
  'v1.14.19': { ...ruleOf(nothingIfUnlimited, { mayBeNegative: true }), ownReserve },
  /** The same of the sum with reasoning, whatever total the provider tells. Source: runs of OpenCode and Kilo. */
  'v1.14.21': {
    ...ruleOf(nothingIfUnlimited, { count: countEverything, mayBeNegative: true }),
    ownReserve,
  },
  /** The 2.0 engine: all kinds of tokens, the reserve as its buffer. */
  'v2.0': ruleOf(
    (facts) => checkpointCeiling(facts.reservedTokens ?? DEFAULT_CHECKPOINT_BUFFER_TOKENS)(facts),
    { count: countEverything, ownTokens: DEFAULT_CHECKPOINT_BUFFER_TOKENS, mayBeNegative: true },
  ),
  /** As O6, but an input limit of 0 is a limit. */
  'document-002': ruleOf(
    (facts) =>
      (facts.inputTokens === undefined ? lessOutput : value('input cap', facts.inputTokens))(facts),
    early,
  ),
  /** Nine tenths of the window, whatever the answer may take. */
  'document-004': ruleOf(share(context, 0.9), early),
  /** The check that document 004 wires: the input alone, also where the window is not known. */
  'document-004-processor': ruleOf(share(context, 0.9), {
    ...early,
    count: countInput,
    zeroContextIsUnlimited: false,
  }),
  ...peerOverflowRules,
} satisfies Record<string, OverflowRule>;

/** States of the 2.0 engine by date or release. Source: OpenCode release history (section 11). */
export const checkpointRules = {
  /** The estimate of the whole request against the window less output or buffer, whichever is larger. */
  'core-2026-06-05': {
    ceiling: (limits, bufferTokens) =>
      limits.contextTokens - Math.max(outputOf(limits), bufferTokens),
    comparison: '>',
    zeroIsUnknown: false,
    repeats: true,
  },
  /** The last measured usage; the buffer only where no output is declared. */
  'core-2026-07-10': {
    ceiling: (limits, bufferTokens) => limits.contextTokens - (outputOf(limits) || bufferTokens),
    comparison: '>=',
    zeroIsUnknown: true,
    repeats: true,
  },
  /** The declared output under a cap. */
  'core-2026-07-13': {
    ceiling: (limits, bufferTokens) =>
      limits.contextTokens - (cappedOutputOf(limits) || bufferTokens),
    comparison: '>=',
    zeroIsUnknown: true,
    repeats: true,
  },
  /** Usage with an estimate of what is newer; input caps count; never directly after a checkpoint. */
  'v2.0': {
    ceiling: (limits, bufferTokens) =>
      checkpointCeiling(bufferTokens)({ ...limits, outputCapTokens: OUTPUT_CAP_TOKENS }).tokens,
    comparison: '>=',
    zeroIsUnknown: false,
    repeats: false,
  },
} satisfies Record<string, CheckpointRule>;

/** Compares a finished step's tokens with what the model's limits leave usable. */
export function checkOverflow(usage: Usage, limits: Limits, options: NamedRule): OverflowCheck {
  const rule: OverflowRule = overflowRules[options.rule];
  const { comparison } = rule;
  const countTokens = rule.count(usage) + (options.newerTokens ?? 0);
  const usableTokens = rule.usable(limits, options);
  const check = { countTokens, usableTokens, comparison };
  if (options.anyOf !== undefined) {
    const conditions = checkConditions(options.anyOf, {
      ...options,
      ...check,
      limits,
      usableTokens: rule.usable(limits, { ...options, anyOf: undefined }),
      isUnlimited: isUnlimited(rule, limits),
    });
    return { ...check, isOverflow: firedConditions(conditions) !== undefined, conditions };
  }
  const isOverflow = isOver(comparison, countTokens, usableTokens) && !isUnlimited(rule, limits);
  return { ...check, isOverflow };
}

/** Tests if a trigger compacts unasked: automatic compaction is on, or its rule knows no switch for it. */
export function compactsUnasked(trigger: {
  readonly auto: boolean;
  readonly overflow: OverflowRuleName;
}): boolean {
  const rule: OverflowRule = overflowRules[trigger.overflow];
  return trigger.auto || rule.ignoresAuto === true;
}

/** Tests if the 2.0 engine compacts before a request of that many tokens; never without a known window. */
export function isCompactionRequired(
  countTokens: number,
  limits: Limits,
  options: CheckpointOptions & { readonly rule: CheckpointRuleName },
): boolean {
  const rule: CheckpointRule = checkpointRules[options.rule];
  if (!options.auto || limits.contextTokens <= 0) return false;
  if (rule.zeroIsUnknown && countTokens <= 0) return false;
  if (!rule.repeats && options.isAfterCheckpoint) return false;
  return isOver(rule.comparison, countTokens, rule.ceiling(limits, options.bufferTokens));
}

/** Explains a check: the same rule, with every number that went into it. */
export function explainOverflow(
  usage: Usage,
  limits: Limits,
  options: NamedRule,
): OverflowExplanation {
  const rule: OverflowRule = overflowRules[options.rule];
  return {
    check: checkOverflow(usage, limits, options),
    rule: options.rule,
    counted: rule.count.termsOf(usage),
    newerTokens: options.newerTokens ?? 0,
    usable: rule.usable.termOf(limits, options),
    isUnlimited:
      isUnlimited(rule, limits) &&
      (options.anyOf ?? []).every((all) => all.length === 0 || all.some(needsWindow)),
  };
}

function isUnlimited({ zeroContextIsUnlimited }: OverflowRule, { contextTokens }: Limits): boolean {
  return zeroContextIsUnlimited && contextTokens === 0;
}

function checkpointCeiling(bufferTokens: number): Formula {
  const buffer = value('buffer', bufferTokens);
  return (facts) => {
    const { inputTokens } = facts;
    const output = value('output', cappedOutputOf(facts));
    const ceiling = difference(context, most([output, buffer]));
    if (!inputTokens) return ceiling(facts);
    return least([difference(value('input cap', inputTokens), buffer), ceiling])(facts);
  };
}
