/** Overflow rules of other agents, by agent. Source: comparison of peers. */

import {
  context,
  difference,
  type Formula,
  inputCapOrContext,
  least,
  lessOutputUnder,
  most,
  type OverflowRule,
  outputUnder,
  reserveOr,
  ruleOf,
  share,
  value,
} from './usable.ts';
import {
  countAll,
  countEverything,
  countPrompt,
  countTotalLessReasoning,
  countTotalOrEverything,
  countTotalOrPrompt,
} from './usage.ts';

const SUMMARY_TOKENS = 20_000;
const CLAUDE_BUFFER_TOKENS = 13_000;
const CLAUDE_ANSWER_TOKENS = 32_000;
const PI_RESERVED_TOKENS = 16_384;
const KIMI_RESERVED_TOKENS = 50_000;
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
  difference(whole, reserveOr(value('default reserve', ownTokens)));
const claudeBuffer = { ownTokens: CLAUDE_BUFFER_TOKENS };
const lessClaudeSummary = lessOwnReserve(lessOutputUnder(SUMMARY_TOKENS), CLAUDE_BUFFER_TOKENS);
const lessClaudeAnswer = lessOwnReserve(
  lessOutputUnder(CLAUDE_ANSWER_TOKENS),
  CLAUDE_BUFFER_TOKENS,
);

const upTo = share(context, 0.85);
/** A window without room for what is kept free has no reserve. */
const upToIfRoomy =
  (below: Formula): Formula =>
  (facts) =>
    (below(facts).tokens > 0 ? least([upTo, below]) : upTo)(facts);
const lessSummary = difference(context, value('output', SUMMARY_TOKENS));
const kimi = { ownTokens: KIMI_RESERVED_TOKENS };
const lessKimi = lessOwnReserve(context, KIMI_RESERVED_TOKENS);

const promptLimit = least([inputCapOrContext, context]);

const crush: Formula = (facts) =>
  (facts.contextTokens > CRUSH_LARGE_WINDOW_TOKENS
    ? lessOwnReserve(context, CRUSH_RESERVED_TOKENS)
    : share(context, 0.8))(facts);

const declaredOutputOr =
  (fallback: Formula): Formula =>
  (facts) =>
    (facts.outputTokens ? value('declared output', facts.outputTokens) : fallback)(facts);

const rooCode = difference(
  share(context, 0.9),
  declaredOutputOr(value('default reserve', ROO_OUTPUT_TOKENS)),
);

const mimoCode: Formula = (facts) => {
  const roomUnder = (capTokens: number) => outputUnder(Math.min(capTokens, facts.outputCapTokens));
  const lessSummary = difference(inputCapOrContext, roomUnder(MIMO_SUMMARY_TOKENS));
  const rule = facts.inputTokens
    ? lessSummary
    : difference(lessSummary, roomUnder(MIMO_ANSWER_TOKENS));
  return rule(facts);
};

const continueOutput = declaredOutputOr((facts) =>
  value('default reserve', facts.outputCapTokens)(facts),
);
const continueRest = difference(context, continueOutput);
const continueBuffer = most([continueOutput, share(continueRest, CONTINUE_SHARE)]);
const continueCli = difference(
  continueRest,
  least([continueBuffer, value('default reserve', CONTINUE_BUFFER_TOKENS)]),
);

const aider = most([
  least([share(inputCapOrContext, AIDER_SHARE), value('cap', AIDER_MOST_TOKENS)]),
  value('default reserve', AIDER_LEAST_TOKENS),
]);

const cline: Formula = (facts) =>
  share(facts.inputTokens ? promptLimit : share(context, 0.9), 0.9)(facts);

const clineClassic: Formula = (facts) => {
  const known = CLINE_RESERVES.get(facts.contextTokens);
  const reserve = value('default reserve', known ?? CLINE_RESERVED_TOKENS);
  const less = difference(context, reserve);
  return (known === undefined ? most([less, share(context, 0.8)]) : less)(facts);
};

/** Overflow rules by agent. Source: comparison of peers, sections 2, 4 to 8, 10 to 14, 19 to 25. */
export const peerOverflowRules = {
  'claude-code': ruleOf(lessClaudeSummary, claudeBuffer),
  'claude-code-2.1': ruleOf(lessClaudeAnswer, claudeBuffer),
  /** The answer counts as its stream began, with 1 to 26 tokens; it is left out. */
  'claude-code-2.1.14': ruleOf(lessClaudeAnswer, { ...claudeBuffer, count: countPrompt }),
  'claude-code-2.1.22': ruleOf(lessClaudeSummary, { ...claudeBuffer, count: countPrompt }),
  'qwen-code': ruleOf(upToIfRoomy(lessOwnReserve(lessSummary, CLAUDE_BUFFER_TOKENS)), {
    ...claudeBuffer,
    count: countTotalOrPrompt,
  }),
  'qwen-code-0.15': ruleOf(share(context, 0.7)),
  'gemini-cli': ruleOf(share(context, 0.5), { count: countPrompt }),
  /** An input cap above the window is none. */
  'codex-local': ruleOf(share(promptLimit, 0.9), { count: countTotalOrEverything, isMost: true }),
  'codex-local-0.53': ruleOf(share(promptLimit, 0.9), { count: countTotalLessReasoning }),
  'copilot-cli': ruleOf(share(promptLimit, 0.8)),
  'copilot-cli-block': ruleOf(share(promptLimit, 0.95)),
  /** The tools, which are taken off the window, are taken to be nothing. */
  'copilot-chat': ruleOf(share(upTo, 0.75)),
  'copilot-chat-block': ruleOf(share(upTo, 0.95)),
  /** Below 0, so that it always acts, where the window is smaller than the reserve. */
  pi: ruleOf(lessOwnReserve(context, PI_RESERVED_TOKENS), {
    count: countEverything,
    comparison: '>',
    ownTokens: PI_RESERVED_TOKENS,
    mayBeNegative: true,
  }),
  'kimi-cli': ruleOf(least([upTo, lessKimi]), kimi),
  'kimi-code': ruleOf(upToIfRoomy(lessKimi), { ...kimi, count: countEverything }),
  crush: ruleOf(crush, { ownTokens: CRUSH_RESERVED_TOKENS }),
  goose: ruleOf(share(context, 0.8), { comparison: '>' }),
  /** A number of tokens, whatever the window, also where that is not known. */
  'anthropic-compact': ruleOf(value('fixed trigger', FIXED_TRIGGER_TOKENS), {
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
  hermes: ruleOf(share(context, 0.5), { count: countPrompt }),
  aider: ruleOf(aider, { comparison: '>' }),
  cline: ruleOf(cline, { count: countPrompt }),
  'cline-classic': ruleOf(clineClassic, { count: countAll }),
  /** Clearing of tool uses by Anthropic's API and by LangChain, and the example of the AI SDK. */
  'above-100k': ruleOf(value('fixed trigger', CLEARING_TRIGGER_TOKENS), {
    comparison: '>',
    mayBeNegative: true,
    zeroContextIsUnlimited: false,
  }),
} satisfies Record<string, OverflowRule>;
