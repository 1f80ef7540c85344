/** Overflow rules of other agents, by agent. Source: comparison of peers. */

import {
  context,
  difference,
  fixed,
  type Formula,
  inputCapOrContext,
  least,
  leastOf,
  lessOutputUnder,
  most,
  type OverflowRule,
  outputUnder,
  reserveOr,
  ruleOf,
  share,
  shareOf,
  value,
  without,
} from './usable.ts';
import { countAll, countPrompt } from './usage.ts';

const SUMMARY_TOKENS = 20_000;
const CLAUDE_BUFFER_TOKENS = 13_000;
const CLAUDE_ANSWER_TOKENS = 32_000;
const PI_RESERVED_TOKENS = 16_384;
const KIMI_RESERVED_TOKENS = 50_000;
/** Smaller windows leave a share. */
const CRUSH_LARGE_WINDOW_TOKENS = 200_000;
const CRUSH_RESERVED_TOKENS = 20_000;
const FIXED_TRIGGER_TOKENS = 150_000;
const CLEARING_TRIGGER_TOKENS = 100_000;
const ROO_OUTPUT_TOKENS = 8_192;
const MIMO_SUMMARY_TOKENS = 33_000;
const MIMO_ANSWER_TOKENS = 20_000;
const CONTINUE_BUFFER_TOKENS = 15_000;
const CONTINUE_SHARE = 0.2;
const AIDER_SHARE = 1 / 16;
const AIDER_LEAST_TOKENS = 1_024;
const AIDER_MOST_TOKENS = 8_192;
const CLINE_RESERVES = new Map([
  [64_000, 27_000],
  [128_000, 30_000],
  [200_000, 40_000],
]);
const CLINE_RESERVED_TOKENS = 40_000;
const lessOwnReserve = (whole: Formula, ownTokens: number) =>
  without(whole, reserveOr(fixed('default reserve', ownTokens)));
const claudeBuffer = { ownTokens: CLAUDE_BUFFER_TOKENS };
const lessClaudeSummary = lessOwnReserve(lessOutputUnder(SUMMARY_TOKENS), CLAUDE_BUFFER_TOKENS);
const lessClaudeAnswer = lessOwnReserve(
  lessOutputUnder(CLAUDE_ANSWER_TOKENS),
  CLAUDE_BUFFER_TOKENS,
);

const qwen: Formula = (facts) => {
  const { reservedTokens = CLAUDE_BUFFER_TOKENS } = facts;
  const isRoomy = facts.contextTokens > SUMMARY_TOKENS + reservedTokens;
  const most = shareOf(context, 0.85);
  const lessSummary = without(context, fixed('output', SUMMARY_TOKENS));
  const below = lessOwnReserve(lessSummary, CLAUDE_BUFFER_TOKENS);
  return (isRoomy ? leastOf(most, below) : most)(facts);
};

const promptLimit = leastOf(inputCapOrContext, context);
/** Of the window less the tools, which are taken to be nothing. */
const copilotChatBudget = shareOf(context, 0.85);

const crush: Formula = (facts) =>
  (facts.contextTokens > CRUSH_LARGE_WINDOW_TOKENS
    ? lessOwnReserve(context, CRUSH_RESERVED_TOKENS)
    : shareOf(context, 0.8))(facts);

const declaredOutputOr =
  (fallback: Formula): Formula =>
  (facts) =>
    facts.outputTokens ? value('declared output', facts.outputTokens) : fallback(facts);

const rooCode = without(
  shareOf(context, 0.9),
  declaredOutputOr(fixed('default reserve', ROO_OUTPUT_TOKENS)),
);

/** Less room for a summary, and of a window for an answer too. */
const mimoCode: Formula = (facts) => {
  const roomUnder = (capTokens: number) => outputUnder(Math.min(capTokens, facts.outputCapTokens));
  const lessSummary = without(inputCapOrContext, roomUnder(MIMO_SUMMARY_TOKENS));
  const rule = facts.inputTokens
    ? lessSummary
    : without(lessSummary, roomUnder(MIMO_ANSWER_TOKENS));
  return rule(facts);
};

/** The window less an answer and a buffer of at most 15,000. */
const continueCli: Formula = (facts) => {
  const output = declaredOutputOr(fixed('default reserve', facts.outputCapTokens));
  const rest = without(context, output)(facts);
  const buffer = most([output(facts), share(rest, CONTINUE_SHARE)]);
  return difference(rest, least([buffer, value('default reserve', CONTINUE_BUFFER_TOKENS)]));
};

const aider: Formula = (facts) => {
  const part = share(inputCapOrContext(facts), AIDER_SHARE);
  const bounded = least([part, value('cap', AIDER_MOST_TOKENS)]);
  return most([bounded, value('default reserve', AIDER_LEAST_TOKENS)]);
};

const cline: Formula = (facts) =>
  shareOf(facts.inputTokens ? promptLimit : shareOf(context, 0.9), 0.9)(facts);

const clineClassic: Formula = (facts) => {
  const known = CLINE_RESERVES.get(facts.contextTokens);
  const reserve = fixed('default reserve', known ?? CLINE_RESERVED_TOKENS);
  const less = without(context, reserve)(facts);
  return known === undefined ? most([less, share(context(facts), 0.8)]) : less;
};

/** Overflow rules by agent. Source: comparison of peers, sections 2, 4 to 8, 10 to 14, 19 to 25. */
export const peerOverflowRules = {
  'claude-code': ruleOf(lessClaudeSummary, claudeBuffer),
  'claude-code-2.1': ruleOf(lessClaudeAnswer, claudeBuffer),
  /** The answer counts as its stream began, with 1 to 26 tokens; it is left out. */
  'claude-code-2.1.14': ruleOf(lessClaudeAnswer, { ...claudeBuffer, count: countPrompt }),
  'claude-code-2.1.22': ruleOf(lessClaudeSummary, { ...claudeBuffer, count: countPrompt }),
  'qwen-code': ruleOf(qwen, claudeBuffer),
  'qwen-code-0.15': ruleOf(shareOf(context, 0.7)),
  'gemini-cli': ruleOf(shareOf(context, 0.5), { count: countPrompt }),
  /** An input cap above the window is none. */
  'codex-local': ruleOf(shareOf(promptLimit, 0.9)),
  'copilot-cli': ruleOf(shareOf(promptLimit, 0.8)),
  'copilot-cli-block': ruleOf(shareOf(promptLimit, 0.95)),
  'copilot-chat': ruleOf(shareOf(copilotChatBudget, 0.75)),
  'copilot-chat-block': ruleOf(shareOf(copilotChatBudget, 0.95)),
  /** Below 0, so that it always acts, where the window is smaller than the reserve. */
  pi: ruleOf(lessOwnReserve(context, PI_RESERVED_TOKENS), {
    comparison: '>',
    ownTokens: PI_RESERVED_TOKENS,
    mayBeNegative: true,
  }),
  'kimi-cli': ruleOf(
    leastOf(shareOf(context, 0.85), lessOwnReserve(context, KIMI_RESERVED_TOKENS)),
    { ownTokens: KIMI_RESERVED_TOKENS },
  ),
  crush: ruleOf(crush, { ownTokens: CRUSH_RESERVED_TOKENS }),
  goose: ruleOf(shareOf(context, 0.8), { comparison: '>' }),
  /** A number of tokens, whatever the window, also where that is not known. */
  'anthropic-compact': ruleOf(fixed('fixed trigger', FIXED_TRIGGER_TOKENS), {
    zeroContextIsUnlimited: false,
  }),
  /** All of the window, or the share of it that a policy sets; reached, or passed. */
  window: ruleOf(context),
  'above-window': ruleOf(context, { comparison: '>' }),
  /** The input cap of a model that has one. */
  'above-input-cap': ruleOf(promptLimit, { comparison: '>' }),
  'roo-code': ruleOf(rooCode, { comparison: '>', mayBeNegative: true }),
  'mimo-code': ruleOf(mimoCode),
  'continue-cli': ruleOf(continueCli),
  hermes: ruleOf(shareOf(context, 0.5), { count: countPrompt }),
  aider: ruleOf(aider, { comparison: '>' }),
  cline: ruleOf(cline, { count: countPrompt }),
  'cline-classic': ruleOf(clineClassic, { count: countAll }),
  /** Clearing of tool uses by Anthropic's API and by LangChain, and the example of the AI SDK. */
  'above-100k': ruleOf(fixed('fixed trigger', CLEARING_TRIGGER_TOKENS), {
    comparison: '>',
    mayBeNegative: true,
    zeroContextIsUnlimited: false,
  }),
} satisfies Record<string, OverflowRule>;
