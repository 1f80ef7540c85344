/** Presets of other agents. */

import { resolvePolicy } from '../check-policy.ts';
import type { BrokenLaw, Policy } from '../policy.ts';
import { defaultCleanups } from '../prune/cleanups.ts';
import { ASSUMED_LENGTH, EXTENDING, FRESH, opencode118, opencode20 } from './opencode.ts';

const PEERS = 'comparison of peers (2026-08)';
const OWN_TEXT = "prompt text is the project's own under the known headings";
const MINUTE_MS = 60_000;

/** Laws that none of these agents guards. */
const UNGUARDED: readonly BrokenLaw[] = [
  { law: 'usable-above-floor', source: `${PEERS}: no floor that is looked at was found` },
  { law: 'pivot-lowers-context', source: `${PEERS}: nothing that compares requests was found` },
  {
    law: 'no-boundary-without-text',
    source: `${PEERS}: nothing against empty summaries was found`,
  },
  { law: 'summary-request-fits', source: `${PEERS}: no smaller input at once was found` },
];

/** Laws left unguarded by agents that reject empty summaries. */
const FILLED: readonly BrokenLaw[] = UNGUARDED.filter(
  ({ law }) => law !== 'no-boundary-without-text',
);

/** A refusal right after a pivot compacts again. */
const REPEATS: BrokenLaw = {
  law: 'one-compaction-per-step',
  source: `${PEERS}: a refusal is answered, also right after a compaction`,
};

/** Tools whose outputs Qwen Code clears after a pause, as it and other agents call them. */
const QWEN_CLEARS = [
  'read',
  'read_file',
  'bash',
  'shell',
  'run_shell_command',
  'exec_command',
  'grep',
  'grep_search',
  'search_file_content',
  'glob',
  'webfetch',
  'web_fetch',
  'edit',
  'write',
  'write_file',
];
const CLAUDE_CLEARS = [...QWEN_CLEARS, 'websearch', 'web_search'];

/** The common part of most of these agents: a check before each request, and a summary in the user's place. */
const peer: Policy = resolvePolicy(opencode20, {
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

/**
 * Claude Code: outputs of its tools but the newest five go after an hour without a request; then all is summarised, and
 * the files that were read last are given again. Skills, plan and todos, which it gives again as well, are left out.
 */
export const claudeCode: Policy = resolvePolicy(peer, {
  name: 'claude-code',
  describes:
    'Claude Code (2026): at 13,000 tokens below the window less room for a summary; numbers from documents and second hand, not from its source.',
  source: `${PEERS}, section 4; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code', countsNewerMessages: true, onRefusal: 'compact-if-auto' },
  prune: {
    enabled: true,
    when: 'idle',
    idleMs: 60 * MINUTE_MS,
    pass: 'keep-last',
    keepLast: { outputs: 5, tools: CLAUDE_CLEARS },
  },
  summary: {
    instruction: 'claude-code',
    form: EXTENDING,
    length: {
      tokens: 2_600,
      source: 'median of 7 recorded summaries of 2.1.5 to 2.1.17 (2,192 to 3,252), by o200k_base',
    },
    outputCapTokens: 20_000,
  },
  resume: { rereads: { files: 5, fileTokens: 5_000, longFiles: 'beginning', totalTokens: 50_000 } },
  guards: { maxFailures: 3, maxRefilled: 3, shrinkSummaryRequest: true },
  estimator: { charsPerToken: 3, rounding: 'ceil' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 4: no verbatim tail` },
  ],
});

/** Qwen Code: the design of Claude Code with numbers from its source, an upper share of the window, and more guards. */
export const qwenCode: Policy = resolvePolicy(claudeCode, {
  name: 'qwen-code',
  describes:
    'Qwen Code (2026-08): like Claude Code, but at 85 % of the window at the latest; keeps what is still unanswered.',
  source: `${PEERS}, section 5; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code' },
  prune: { keepLast: { tools: QWEN_CLEARS } },
  cut: { keep: 'unanswered' },
  summary: { instruction: 'qwen-code', length: ASSUMED_LENGTH, stripMedia: true },
  resume: { rereads: { longFiles: 'path' } },
  guards: {
    rejectEmptySummary: true,
    rejectTruncatedSummary: true,
    rejectLargerSummary: true,
    maxRefilled: 0,
    shrinkSummaryRequest: false,
  },
  estimator: { charsPerToken: 4, imageTokens: 1_600, documentTokens: 1_600 },
  breaks: [
    ...FILLED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 5: what is answered is summarised`,
    },
  ],
});

/** Gemini CLI: half of the window, the newest 30 % stay, a prune at the end of each turn. A second call checks the summary. */
export const geminiCli: Policy = resolvePolicy(peer, {
  name: 'gemini-cli',
  describes:
    'Gemini CLI (2026-08), classic: at half the window; prunes beyond 50,000 tokens of output, at least 30,000 at a time.',
  source: `${PEERS}, section 6a; ${OWN_TEXT}`,
  trigger: { overflow: 'gemini-cli' },
  prune: {
    enabled: true,
    when: 'turn-end',
    byAge: {
      protectTokens: 50_000,
      minimumTokens: 29_999,
      skipNewestMessages: 1,
      summaryInGuard: 'stop',
      protectedTools: ['activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode'],
    },
  },
  cut: { keep: 'last-share', share: 0.3 },
  summary: { instruction: 'gemini-cli', form: { verifies: true }, anchored: true },
  guards: { rejectEmptySummary: true, rejectLargerSummary: true },
  estimator: { imageTokens: 3_000, documentTokens: 25_800 },
  breaks: [
    ...FILLED,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 6a: all is summarised after a last word of the model`,
    },
  ],
});

/** Codex with a local summary: what the person said stays, newest first up to 20,000 tokens; all else is summarised. */
export const codexLocal: Policy = resolvePolicy(peer, {
  name: 'codex-local',
  describes:
    'Codex CLI (2026-08) with a local summary: at 90 % of what the model takes; keeps up to 20,000 tokens of user messages.',
  source: `${PEERS}, section 7; ${OWN_TEXT}`,
  trigger: { overflow: 'codex-local', countsNewerMessages: true, onRefusal: 'compact-once' },
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: { instruction: 'codex-local', emptyText: '(no summary available)' },
  guards: { shrinkSummaryRequest: true },
  estimator: { rounding: 'ceil' },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 7: a long prompt is cut` },
  ],
});

/**
 * pi: looks at the step that ends a turn; the newest 20,000 tokens stay, also where that splits a turn; one summary stands
 * for both of its own in that case. The usage of another model counts here, too.
 */
export const pi: Policy = resolvePolicy(peer, {
  name: 'pi',
  describes:
    'pi (2026-08): at 16,384 tokens below the window, at the end of turns only; keeps the newest 20,000 tokens.',
  source: `${PEERS}, section 20; ${OWN_TEXT}`,
  trigger: {
    overflow: 'pi',
    afterStep: true,
    beforeRequest: false,
    onlyBetweenTurns: true,
    countsNewerMessages: true,
    onRefusal: 'compact-once',
  },
  cut: { keep: 'recent-messages', tokens: 20_000 },
  summary: {
    instruction: 'pi',
    form: { kind: 'flattened' },
    length: {
      tokens: 1_040,
      source: 'mean of the 2 recorded summaries (963 and 1,111), by o200k_base',
    },
    toolOutputChars: 2_000,
    anchored: true,
    outputCapTokens: 13_107,
  },
  guards: { ignoreStaleUsage: true },
  estimator: { imageTokens: 1_200 },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 20: a turn may be split` },
  ],
});

/**
 * Kimi CLI: 85 % of the window or 50,000 tokens below it, whichever is less; the newest two messages stay. Its summary request
 * extends the session's, as observed of its successor, Kimi Code 2.
 */
export const kimiCli: Policy = resolvePolicy(peer, {
  name: 'kimi-cli',
  describes:
    'Kimi CLI (2026): at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest two messages.',
  source: `${PEERS}, section 21; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-cli', countsNewerMessages: true },
  cut: { keep: 'newest-messages', count: 2 },
  summary: { instruction: 'kimi-cli', form: EXTENDING },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 21: two messages stay` },
  ],
});

/** Crush: looks at each finished step; all is summarised, and the request is quoted to go on with. */
export const crush: Policy = resolvePolicy(peer, {
  name: 'crush',
  describes:
    'Crush (2026-08): at 20,000 tokens below windows above 200,000, at 80 % of others; keeps no messages.',
  source: `${PEERS}, section 19; ${OWN_TEXT}`,
  trigger: { overflow: 'crush', afterStep: true, beforeRequest: false },
  summary: { instruction: 'crush' },
  resume: { continueText: 'crush', onlyMidTurn: true },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 19: the request is only quoted` },
  ],
});

/**
 * Goose: looks between turns only, and counts by itself where no usage is told; all is summarised but prompts that nobody
 * has answered. After a refusal in the middle of a turn its prompt is said again; how often that is done is not known, and
 * it is done once a turn here.
 */
export const goose: Policy = resolvePolicy(peer, {
  name: 'goose',
  describes:
    'Goose (2026-08): above 80 % of the window, between turns only; keeps the newest prompt.',
  source: `${PEERS}, section 13; ${OWN_TEXT}`,
  trigger: { overflow: 'goose', onlyBetweenTurns: true, onRefusal: 'compact-once' },
  cut: { keep: 'unanswered' },
  summary: { instruction: 'goose', form: { kind: 'flattened' } },
  resume: { replayRefusedPrompt: true, wrapReplay: false },
  guards: { estimateMissingUsage: true, shrinkSummaryRequest: true },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 13: what is answered is summarised`,
    },
  ],
});

/** Server-side compaction of Anthropic's API at its default trigger. The block that it leaves is shown as a user message here. */
export const anthropicCompact: Policy = resolvePolicy(peer, {
  name: 'anthropic-compact',
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
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 8: the whole conversation` },
  ],
});

/** Masking of observations as SWE-agent does it and the study "The Complexity Trap" measures it: all but the newest ten. */
export const lastObservations: Policy = resolvePolicy(peer, {
  name: 'last-n-observations',
  describes:
    'SWE-agent\'s last_n_observations with n = 10, as in "The Complexity Trap": masks all older tool outputs before each request; never summarises.',
  source: `${PEERS}, section 22`,
  trigger: { auto: false, beforeRequest: false },
  prune: { enabled: true, when: 'before-request', pass: 'keep-last', keepLast: { outputs: 10 } },
  cut: { keep: 'everything' },
  render: { clearedOutput: 'Old environment output: (omitted)' },
  breaks: [],
});

/**
 * The plugin "dynamic context pruning" beside OpenCode: before each request it takes out what later messages made useless.
 * The tool by which the model itself compresses ranges of the conversation is left out.
 */
export const dcp: Policy = resolvePolicy(opencode118, {
  name: 'dcp',
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
