/** Presets that clear or take out old calls and never summarise. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { peer, PEERS } from './peer.ts';

/**
 * The common part of clearing while a request is made: the caller keeps its messages whole, so that what was cleared once
 * counts, and is cleared again.
 */
const clearing: Policy = resolvePolicy(peer, {
  trigger: { overflow: 'above-100k', countsCleared: true },
  prune: { enabled: true, when: 'on-overflow' },
  cut: { keep: 'everything' },
  breaks: [],
});

/** Clearing of tool uses by Anthropic's API with its defaults. The sentence that stands for an output is not published. */
export const anthropicClearToolUses: Policy = resolvePolicy(clearing, {
  name: 'anthropic-clear-tool-uses',
  describes:
    "Context editing by Anthropic's API, clear_tool_uses_20250919: above 100,000 tokens, clears all tool outputs but the newest 3; never summarises.",
  source: `${PEERS}, section 8; the placeholder is the project's own`,
  trigger: { countsNewerMessages: true },
  prune: { pass: 'keep-last', keepLast: { outputs: 3 } },
  render: { clearedOutput: '[cleared to save context]' },
});

/** LangChain's copy of it, which estimates messages by their characters. Its 3 tokens for each message are left out. */
export const langchainClearToolUses: Policy = resolvePolicy(clearing, {
  name: 'langchain-clear-tool-uses',
  describes:
    "LangChain's ContextEditingMiddleware with ClearToolUsesEdit (2026-08): above 100,000 estimated tokens of messages, clears all tool outputs but the newest 3.",
  source: `${PEERS}, section 15, and the public source of the middleware`,
  trigger: { counted: 'messages' },
  prune: { pass: 'keep-last', keepLast: { outputs: 3 } },
  estimator: { charsPerToken: 4, rounding: 'ceil' },
  render: { clearedOutput: '[cleared]' },
});

/** The AI SDK's `pruneMessages` as its documentation calls it, at the trigger of its example. */
export const vercelPruneMessages: Policy = resolvePolicy(clearing, {
  name: 'vercel-prune-messages',
  describes:
    "The AI SDK's pruneMessages (ai 6.0): above 100,000 estimated tokens of messages, takes out calls with their results before the last 2 messages, and thoughts before the last.",
  source: `${PEERS}, section 16, and the public source and documentation of ai 6.0.326`,
  trigger: { counted: 'messages' },
  prune: {
    pass: 'by-message',
    byMessage: { reasoning: 'before-last-message', toolCalls: [{ keepMessages: 2 }] },
  },
});

/** Pruning by a verdict on each old output. The scorer is a parameter: a name, a table of tools, or a function. */
export const verdictScored: Policy = resolvePolicy(peer, {
  name: 'verdict-scored',
  describes:
    'Above 100,000 tokens, a scorer keeps, shortens or drops each tool output but the newest 3; by default by size and age.',
  source: "the project's own, to compare scorers with",
  trigger: { overflow: 'above-100k', countsNewerMessages: true },
  prune: {
    enabled: true,
    when: 'on-overflow',
    pass: 'by-verdict',
    byVerdict: { outputs: 3, scorer: 'size-and-age', headChars: 1_500, tailChars: 1_500 },
  },
  cut: { keep: 'everything' },
  breaks: [],
});
