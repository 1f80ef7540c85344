/** Presets of agents, plugins, providers and libraries that compact or clear on their own. */

import { resolvePolicy } from '../check.ts';
import type { BrokenLaw, KeepEnds, KeptAmount } from '../policy.ts';
import { hidesRequest, brokenLaws, FRESH, opencode118, opencode20, OWN_TEXT } from './opencode.ts';
import { defaultCleanups } from '../prune/cleanups.ts';

/** Where a figure of theirs is from, unless a preset says otherwise. */
export const PEERS = 'comparison of peers (2026-08)';

/** Laws that none of these agents guards. */
export const UNGUARDED = brokenLaws(PEERS, {
  'usable-above-floor': ': no floor that is looked at was found',
  'pivot-lowers-context': ': nothing that compares requests was found',
  'no-boundary-without-text': ': nothing against empty summaries was found',
  'summary-request-fits': ': no smaller input at once was found',
});

/** Laws left unguarded by agents that reject empty summaries. */
export const FILLED = UNGUARDED.filter(({ law }) => law !== 'no-boundary-without-text');

/** A refusal right after a pivot compacts again. */
export const REPEATS: BrokenLaw = {
  law: 'one-compaction-per-step',
  source: `${PEERS}: a refusal is answered, also right after a compaction`,
};

/** Keeps newest messages, none of the first; a step and its results stay together. */
export const keepNewest = (
  amount: KeptAmount,
  crossing: KeepEnds['crossing'] = 'stays',
): KeepEnds => ({ keep: 'ends', unit: 'messages', first: 0, newest: [amount], crossing });

/** A check before each request, and a summary in the user's place. */
export const peer = resolvePolicy(opencode20, {
  trigger: { countsNewerMessages: false, onRefusal: 'stop' },
  prune: { byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0, protectedTools: [] } },
  view: 'marker-first',
  cut: { keep: 'nothing' },
  summary: { form: FRESH },
  guards: {
    rejectEmptySummary: false,
    rejectTruncatedSummary: false,
    remindMissingHeadings: false,
  },
  render: { summaryAs: 'handover', markerQuestion: '' },
  breaks: UNGUARDED,
});

/** Crush: looks at each finished step; the request is quoted to go on with. */
export const crush = resolvePolicy(peer, {
  describes:
    'Crush (2026-08): at 20,000 tokens below windows above 200,000, at 80 % of others; keeps no messages.',
  source: `${PEERS}, section 19; ${OWN_TEXT}`,
  trigger: { overflow: 'crush', afterStep: true, beforeRequest: false },
  summary: { instruction: 'crush' },
  resume: { continueText: 'crush', onlyMidTurn: true },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 19: the request is only quoted`)],
});

/** Goose, which says the prompt of a refused turn again, once a turn here. */
export const goose = resolvePolicy(peer, {
  describes:
    'Goose (2026-08): above 80 % of the window, between turns only; keeps the newest prompt.',
  source: `${PEERS}, section 13; ${OWN_TEXT}`,
  trigger: { overflow: 'goose', onlyBetweenTurns: true, onRefusal: 'compact-once' },
  cut: { keep: 'unanswered' },
  summary: { instruction: 'goose', form: { kind: 'flattened' } },
  resume: { replayRefusedPrompt: true, wrapQueued: false },
  guards: { estimateMissingUsage: true, shrinkSummaryRequest: true },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    hidesRequest(`${PEERS}, section 13: what is answered is summarised`),
  ],
});

/** Masking as SWE-agent does it and "The Complexity Trap" measures it. */
export const lastObservations = resolvePolicy(peer, {
  describes:
    'SWE-agent\'s last_n_observations with n = 10, as in "The Complexity Trap": masks all older tool outputs before each request; never summarises.',
  source: `${PEERS}, section 22`,
  trigger: { auto: false, beforeRequest: false },
  prune: { enabled: true, when: 'before-request', pass: 'keep-last', keepLast: { outputs: 10 } },
  cut: { keep: 'everything' },
  render: { clearedOutput: 'Old environment output: (omitted)' },
  breaks: [],
});

/** Without the tool by which the model compresses ranges. */
export const dcp = resolvePolicy(opencode118, {
  describes:
    'OpenCode 1.18 with the automatic strategies of the plugin "dynamic context pruning" (2026-08): repeated calls, writes read back since, inputs of failed calls.',
  source: 'comparison of peers (2026-08), section 3, and the public source of the plugin',
  prune: {
    cleanups: [
      defaultCleanups.duplicates,
      defaultCleanups.superseded,
      defaultCleanups['failed-inputs'],
    ],
  },
  render: {
    clearedOutput: '[Output removed to save context - information superseded or no longer needed]',
  },
});

/** Its block is shown as a user message here. */
export const anthropicCompact = resolvePolicy(peer, {
  describes:
    "Compaction by Anthropic's API, compact-2026-01-12: at 150,000 tokens, whatever the window; keeps no messages.",
  source: `${PEERS}, section 8; ${OWN_TEXT}`,
  trigger: { overflow: 'anthropic-compact', countsNewerMessages: true },
  summary: {
    instruction: 'anthropic-compact',
    length: {
      tokens: 2_400,
      source: "evaluation design, section 1.1: 7,000 to 12,000 characters of the vendor's SDK",
    },
  },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 8: the whole conversation`)],
});

/** A summary as a user message stands for its sealed item here. */
export const openaiCompact = resolvePolicy(peer, {
  describes:
    "Compaction by OpenAI's Responses API (2026-08): at the compact_threshold of a request, 200,000 tokens as documented; keeps no messages.",
  source: `${PEERS}, section 9, and its documentation; ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'tokens', atLeast: 200_000 }]],
    countsNewerMessages: true,
  },
  summary: { instruction: 'plain' },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 9: what is older can be dropped`)],
});

const clearing = resolvePolicy(peer, {
  trigger: { overflow: 'above-100k', countsCleared: true },
  prune: { enabled: true, when: 'on-overflow' },
  cut: { keep: 'everything' },
  breaks: [],
});

export const anthropicClearToolUses = resolvePolicy(clearing, {
  describes:
    "Context editing by Anthropic's API, clear_tool_uses_20250919: above 100,000 tokens, clears all tool outputs but the newest 3; never summarises.",
  source: `${PEERS}, section 8; the placeholder is the project's own`,
  trigger: { countsNewerMessages: true },
  prune: { pass: 'keep-last', keepLast: { outputs: 3 } },
  render: { clearedOutput: '[cleared to save context]' },
});

/** LangChain's copy of it, without its 3 tokens for each message. */
export const langchainClearToolUses = resolvePolicy(clearing, {
  describes:
    "LangChain's ContextEditingMiddleware with ClearToolUsesEdit (2026-08): above 100,000 estimated tokens of messages, clears all tool outputs but the newest 3.",
  source: `${PEERS}, section 15, and the public source of the middleware`,
  trigger: { counted: 'messages' },
  prune: { pass: 'keep-last', keepLast: { outputs: 3 } },
  estimator: { charsPerToken: 4, rounding: 'ceil' },
  render: { clearedOutput: '[cleared]' },
});

/** As its documentation calls it, at the trigger of its example. */
export const vercelPruneMessages = resolvePolicy(clearing, {
  describes:
    "The AI SDK's pruneMessages (ai 6.0): above 100,000 estimated tokens of messages, takes out calls with their results before the last 2 messages, and thoughts before the last.",
  source: `${PEERS}, section 16, and the public source and documentation of ai 6.0.326`,
  trigger: { counted: 'messages' },
  prune: {
    pass: 'by-message',
    byMessage: { reasoning: 'before-last-message', toolCalls: [{ keepMessages: 2 }] },
  },
});

export const verdictScored = resolvePolicy(peer, {
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
