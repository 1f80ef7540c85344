import {
  atLeastNothing,
  inputCapOrContext,
  lessOutputUnder,
  reserveOr,
  shareOf,
  without,
} from './formulas.ts';
import type { OverflowRule } from '../overflow.ts';
import { type CountRule, countPrompt, countTotal } from '../usage.ts';
import { context, type Formula, usableRule } from './usable.ts';

/** What a rule has besides its formula; nothing of it is usual. */
interface RuleOptions {
  readonly count?: CountRule;
  readonly comparison?: '>' | '>=';
  readonly ownTokens?: number;
  /** Whether a reserve above the window leaves less than nothing. */
  readonly mayBeNegative?: boolean;
  readonly zeroContextIsUnlimited?: boolean;
}

/** What a summary may take, which these agents keep free. */
const SUMMARY_TOKENS = 20_000;
const CLAUDE_BUFFER_TOKENS = 13_000;
const PI_RESERVED_TOKENS = 16_384;
const KIMI_RESERVED_TOKENS = 50_000;
const FIXED_TRIGGER_TOKENS = 150_000;
/** Windows above this many tokens leave a fixed reserve, smaller ones a share. */
const CRUSH_LARGE_WINDOW_TOKENS = 200_000;
const CRUSH_RESERVED_TOKENS = 20_000;
const SHARES = { half: 0.5, fourFifths: 0.8, mostly: 0.85, nineTenths: 0.9 };

const lessOwnReserve = (whole: Formula, ownTokens: number): Formula =>
  without(
    whole,
    reserveOr((_, __, { value }) => value('default reserve', ownTokens)),
  );
const leastOf =
  (...formulas: readonly Formula[]): Formula =>
  (limits, options, arithmetic) =>
    arithmetic.least(formulas.map((formula) => formula(limits, options, arithmetic)));

/** Room for a summary as long as the model's answers, if those are shorter. */
const lessSummary = lessOutputUnder(SUMMARY_TOKENS);
const lessFixedSummary = without(context, (_, __, { value }) => value('output', SUMMARY_TOKENS));
const qwen: Formula = (limits, options, arithmetic) => {
  const share = shareOf(context, SHARES.mostly);
  const { reservedTokens = CLAUDE_BUFFER_TOKENS } = options;
  const isRoomy = limits.contextTokens > SUMMARY_TOKENS + reservedTokens;
  const below = lessOwnReserve(lessFixedSummary, CLAUDE_BUFFER_TOKENS);
  return (isRoomy ? leastOf(share, below) : share)(limits, options, arithmetic);
};
const crush: Formula = (limits, options, arithmetic) =>
  (limits.contextTokens > CRUSH_LARGE_WINDOW_TOKENS
    ? lessOwnReserve(context, CRUSH_RESERVED_TOKENS)
    : shareOf(context, SHARES.fourFifths))(limits, options, arithmetic);
const kimi = leastOf(
  shareOf(context, SHARES.mostly),
  lessOwnReserve(context, KIMI_RESERVED_TOKENS),
);

/** Overflow rules of other agents, by agent. Source: comparison of peers, sections 4 to 8, 13, 19 to 21 and 25. */
export const peerOverflowRules = {
  'claude-code': ruleOf(lessOwnReserve(lessSummary, CLAUDE_BUFFER_TOKENS), {
    ownTokens: CLAUDE_BUFFER_TOKENS,
  }),
  'qwen-code': ruleOf(qwen, { ownTokens: CLAUDE_BUFFER_TOKENS }),
  /** The answer is not counted. */
  'gemini-cli': ruleOf(shareOf(context, SHARES.half), { count: countPrompt }),
  /** An input cap above the window is none. */
  'codex-local': ruleOf(shareOf(leastOf(inputCapOrContext, context), SHARES.nineTenths)),
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
} satisfies Record<string, OverflowRule>;

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
