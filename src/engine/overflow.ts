import {
  type TriggerCondition,
  checkConditions,
  firedConditions,
  needsWindow,
} from './conditions.ts';
import {
  aider,
  cline,
  clineClassic,
  continueCli,
  mimoCode,
  rooCode,
} from './framework-formulas.ts';
import type { Usage } from './message.ts';
import type { OverflowRuleName, TriggerPolicy } from './policy.ts';
import type { Limits, OverflowCheck } from './state.ts';
import {
  type Arithmetic,
  atLeastNothing,
  context,
  type Formula,
  inputCapLessReserve,
  inputCapOr,
  inputCapOrContext,
  inTokens,
  lessOutput,
  lessOutputUnder,
  lessOutputUnderFixedCap,
  lessReserve,
  type OverflowOptions,
  ownReserve,
  reserveOr,
  shareOf,
  type Term,
  unlessUnlimited,
  usableRule,
  type UsableRule,
  without,
} from './usable.ts';
import {
  countAll,
  countEverything,
  countInput,
  countPrompt,
  type CountRule,
  type CountTerm,
  countTotal,
  countWithoutCacheWrite,
} from './usage.ts';

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

interface RuleOptions {
  readonly count?: CountRule;
  readonly comparison?: '>' | '>=';
  readonly ownTokens?: number;
  /** A reserve above the window leaves less than 0. */
  readonly mayBeNegative?: boolean;
  readonly zeroContextIsUnlimited?: boolean;
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

/** Tokens that a request may have. */
type Ceiling = (limits: Limits, bufferTokens: number) => number;

/** One state of the 2.0 engine: its ceiling, how the request compares with it, and what it never does. */
interface CheckpointRule {
  readonly ceiling: Ceiling;
  readonly comparison: '>' | '>=';
  /** A count of 0 is taken as unknown, and never compacts. */
  readonly zeroIsUnknown: boolean;
  /** It may compact right after a checkpoint. */
  readonly repeats: boolean;
}

/** The name of a state of the 2.0 engine. */
export type CheckpointRuleName = keyof typeof checkpointRules;

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

const NINE_TENTHS = 0.9;
const HALF = 0.5;

/** The buffer of the 2.0 engine where none is configured. */
export const DEFAULT_CHECKPOINT_BUFFER_TOKENS = 20_000;

const outputOf = ({ outputTokens = 0 }: Limits) => outputTokens;

const OUTPUT_CAP_TOKENS = 32_000;

const cappedOutputOf = (limits: Limits) => Math.min(outputOf(limits), OUTPUT_CAP_TOKENS);

const lessOwnReserve = (whole: Formula, ownTokens: number): Formula =>
  without(
    whole,
    reserveOr((_, __, { value }) => value('default reserve', ownTokens)),
  );

/** Room for a summary, which these agents keep free. */
const SUMMARY_TOKENS = 20_000;

/** Room for a summary as long as the model's answers, if those are shorter. */
const lessSummary = lessOutputUnder(SUMMARY_TOKENS);

const CLAUDE_BUFFER_TOKENS = 13_000;

const claudeBuffer = { ownTokens: CLAUDE_BUFFER_TOKENS };

const lessClaudeSummary = lessOwnReserve(lessSummary, CLAUDE_BUFFER_TOKENS);

/** Room for an answer, which Claude Code kept free up to 2.1.20. */
const CLAUDE_ANSWER_TOKENS = 32_000;

const lessClaudeAnswer = lessOwnReserve(
  lessOutputUnder(CLAUDE_ANSWER_TOKENS),
  CLAUDE_BUFFER_TOKENS,
);

const SHARES = {
  half: 0.5,
  sevenTenths: 0.7,
  threeQuarters: 0.75,
  fourFifths: 0.8,
  mostly: 0.85,
  nineTenths: 0.9,
  almostAll: 0.95,
};

const lessFixedSummary = without(context, (_, __, { value }) => value('output', SUMMARY_TOKENS));

const leastOf =
  (...formulas: readonly Formula[]): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.least(formulas.map((formula) => formula(limits, options, arithmetic)));

const qwen: Formula = (limits, options, arithmetic) => {
  const share = shareOf(context, SHARES.mostly);
  const { reservedTokens = CLAUDE_BUFFER_TOKENS } = options;
  const isRoomy = limits.contextTokens > SUMMARY_TOKENS + reservedTokens;
  const below = lessOwnReserve(lessFixedSummary, CLAUDE_BUFFER_TOKENS);
  return (isRoomy ? leastOf(share, below) : share)(limits, options, arithmetic);
};

/** The input cap, or the window where that is less or alone. */
const promptLimit = leastOf(inputCapOrContext, context);

/** Of the window less the tools, whose size is not known on its own and is taken to be nothing. */
const copilotChatBudget = shareOf(context, SHARES.mostly);

const PI_RESERVED_TOKENS = 16_384;
const KIMI_RESERVED_TOKENS = 50_000;

const kimi = leastOf(
  shareOf(context, SHARES.mostly),
  lessOwnReserve(context, KIMI_RESERVED_TOKENS),
);

/** Windows above this many tokens leave a fixed reserve, smaller ones a share. */
const CRUSH_LARGE_WINDOW_TOKENS = 200_000;
const CRUSH_RESERVED_TOKENS = 20_000;

const crush: Formula = (limits, options, arithmetic) =>
  (limits.contextTokens > CRUSH_LARGE_WINDOW_TOKENS
    ? lessOwnReserve(context, CRUSH_RESERVED_TOKENS)
    : shareOf(context, SHARES.fourFifths))(limits, options, arithmetic);

const FIXED_TRIGGER_TOKENS = 150_000;
const CLEARING_TRIGGER_TOKENS = 100_000;

/** Overflow rules of other agents, by agent. Source: comparison of peers, sections 4 to 8, 13, 19 to 21 and 25. */
const peerOverflowRules = {
  'claude-code': ruleOf(lessClaudeSummary, claudeBuffer),
  'claude-code-2.1': ruleOf(lessClaudeAnswer, claudeBuffer),
  /** The answer counts as its stream began, with 1 to 26 tokens; it is left out. */
  'claude-code-2.1.14': ruleOf(lessClaudeAnswer, { ...claudeBuffer, count: countPrompt }),
  'claude-code-2.1.22': ruleOf(lessClaudeSummary, { ...claudeBuffer, count: countPrompt }),
  'qwen-code': ruleOf(qwen, { ownTokens: CLAUDE_BUFFER_TOKENS }),
  'qwen-code-0.15': ruleOf(shareOf(context, SHARES.sevenTenths)),
  /** The answer is not counted. */
  'gemini-cli': ruleOf(shareOf(context, SHARES.half), { count: countPrompt }),
  /** An input cap above the window is none. */
  'codex-local': ruleOf(shareOf(promptLimit, SHARES.nineTenths)),
  'copilot-cli': ruleOf(shareOf(promptLimit, SHARES.fourFifths)),
  'copilot-cli-block': ruleOf(shareOf(promptLimit, SHARES.almostAll)),
  'copilot-chat': ruleOf(shareOf(copilotChatBudget, SHARES.threeQuarters)),
  'copilot-chat-block': ruleOf(shareOf(copilotChatBudget, SHARES.almostAll)),
  /** Below 0, so that it always acts, where the window is smaller than the reserve. */
  pi: ruleOf(lessOwnReserve(context, PI_RESERVED_TOKENS), {
    comparison: '>',
    ownTokens: PI_RESERVED_TOKENS,
    mayBeNegative: true,
  }),
  'kimi-cli': ruleOf(kimi, { ownTokens: KIMI_RESERVED_TOKENS }),
  crush: ruleOf(crush, { ownTokens: CRUSH_RESERVED_TOKENS }),
  goose: ruleOf(shareOf(context, SHARES.fourFifths), { comparison: '>' }),
  /** A number of tokens, whatever the window, also where that is not known. */
  'anthropic-compact': ruleOf((_, __, { value }) => value('fixed trigger', FIXED_TRIGGER_TOKENS), {
    zeroContextIsUnlimited: false,
  }),
  /** All of the window, or the share of it that a policy sets; reached, or passed. */
  window: ruleOf(context),
  'above-window': ruleOf(context, { comparison: '>' }),
  /** The input cap of a model that has one. */
  'above-input-cap': ruleOf(leastOf(inputCapOrContext, context), { comparison: '>' }),
  'roo-code': ruleOf(rooCode, { comparison: '>', mayBeNegative: true }),
  'mimo-code': ruleOf(mimoCode),
  'continue-cli': ruleOf(continueCli),
  /** The answer is not counted. */
  hermes: ruleOf(shareOf(context, SHARES.half), { count: countPrompt }),
  aider: ruleOf(aider, { comparison: '>' }),
  /** The answer is not counted. */
  cline: ruleOf(cline, { count: countPrompt }),
  'cline-classic': ruleOf(clineClassic, { count: countAll }),
  /** Clearing of tool uses by Anthropic's API and by LangChain, and the example of the AI SDK. */
  'above-100k': ruleOf((_, __, { value }) => value('fixed trigger', CLEARING_TRIGGER_TOKENS), {
    comparison: '>',
    mayBeNegative: true,
    zeroContextIsUnlimited: false,
  }),
} satisfies Record<string, OverflowRule>;

/**
 * Overflow rules by the release from which each holds, then those that only a document has, then those of other agents.
 * Sources: OpenCode release history (O1–O10), design documents 002 and 004, comparison of peers.
 */
export const overflowRules = {
  /** O1. Releases before 0.8.0 know no switch. */
  'v0.7': {
    count: countAll,
    usable: usableRule(atLeastNothing(shareOf(lessOutputUnderFixedCap, NINE_TENTHS))),
    comparison: '>',
    zeroContextIsUnlimited: true,
    ignoresAuto: true,
  },
  /** O2: a value for debugging that was released for a day. */
  'v0.7.4': {
    count: countWithoutCacheWrite,
    usable: usableRule(shareOf(lessOutputUnderFixedCap, HALF)),
    comparison: '>',
    zeroContextIsUnlimited: false,
    ignoresAuto: true,
  },
  /** O3. */
  'v0.7.6': {
    count: countWithoutCacheWrite,
    usable: usableRule(lessOutputUnderFixedCap),
    comparison: '>',
    zeroContextIsUnlimited: false,
    ignoresAuto: true,
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
  /** The check that document 004 wires: the input alone, also where the window is not known. */
  'document-004-processor': {
    count: countInput,
    usable: usableRule(shareOf(context, NINE_TENTHS)),
    comparison: '>',
    zeroContextIsUnlimited: false,
  },
  ...peerOverflowRules,
} satisfies Record<OverflowRuleName, OverflowRule>;

/** States of the 2.0 engine by the date or release from which each holds. Source: OpenCode release history (section 11). */
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
    ceiling: (limits, bufferTokens) => checkpointCeiling(limits, bufferTokens, inTokens),
    comparison: '>=',
    zeroIsUnknown: false,
    repeats: false,
  },
} satisfies Record<string, CheckpointRule>;

/** Compares a finished step's tokens with what the model's limits leave usable. */
export function checkOverflow(
  usage: Usage,
  limits: Limits,
  options: OverflowOptions & { readonly rule: OverflowRuleName },
): OverflowCheck {
  const rule: OverflowRule = overflowRules[options.rule];
  const countTokens = rule.count(usage) + (options.newerTokens ?? 0);
  const usableTokens = rule.usable(limits, options);
  const { comparison } = rule;
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
  const isOver = comparison === '>' ? countTokens > usableTokens : countTokens >= usableTokens;
  return { ...check, isOverflow: isOver && !isUnlimited(rule, limits) };
}

/** Tests if a trigger compacts unasked: automatic compaction is on, or its rule knows no switch for it. */
export function compactsUnasked({
  auto,
  overflow,
}: Pick<TriggerPolicy, 'auto' | 'overflow'>): boolean {
  const rule: OverflowRule = overflowRules[overflow];
  return auto || rule.ignoresAuto === true;
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
  const ceilingTokens = rule.ceiling(limits, options.bufferTokens);
  return rule.comparison === '>' ? countTokens > ceilingTokens : countTokens >= ceilingTokens;
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
    isUnlimited:
      isUnlimited(rule, limits) && (options.anyOf ?? [[]]).every((all) => !holdsWithoutWindow(all)),
  };
}

/** A list of conditions that is not about the window may hold without one. */
function holdsWithoutWindow(all: readonly TriggerCondition[]): boolean {
  return all.length > 0 && !all.some(needsWindow);
}

function isUnlimited(
  { zeroContextIsUnlimited }: Pick<OverflowRule, 'zeroContextIsUnlimited'>,
  { contextTokens }: Limits,
): boolean {
  return zeroContextIsUnlimited && contextTokens === 0;
}

/** Tokens that a request of the 2.0 engine may have, in any arithmetic. */
function checkpointCeiling<Amount>(
  limits: Limits,
  bufferTokens: number,
  { value, difference, least, most }: Arithmetic<Amount>,
): Amount {
  const { contextTokens, inputTokens } = limits;
  const buffer = value('buffer', bufferTokens);
  const output = value('output', cappedOutputOf(limits));
  const ceiling = difference(value('context', contextTokens), most([output, buffer]));
  return inputTokens
    ? least([difference(value('input cap', inputTokens), buffer), ceiling])
    : ceiling;
}

/** Most do not act where the window is not known, and leave at least nothing of one that is. */
function ruleOf(formula: Formula, options: RuleOptions = {}): OverflowRule {
  const { count = countTotal, comparison = '>=', zeroContextIsUnlimited = true } = options;
  const { ownTokens, mayBeNegative = false } = options;
  return {
    count,
    usable: usableRule(mayBeNegative ? formula : atLeastNothing(formula)),
    ...(ownTokens !== undefined && { ownReserve: () => ownTokens }),
    comparison,
    zeroContextIsUnlimited,
  };
}
