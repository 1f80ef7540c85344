/** Presets of the agents that makers of models offer: Claude Code, Gemini CLI, Qwen Code and Codex. */

import { resolvePolicy } from '../check.ts';
import { EXTENDING, hidesRequest, ASSUMED_LENGTH, FRESH, OWN_TEXT } from './opencode.ts';
import { peer, PEERS, REPEATS, UNGUARDED, FILLED } from './peers.ts';

const AFTER_HOUR = { when: 'idle', idleMs: 3_600_000, pass: 'keep-last' } as const;

const QWEN_CLEARS = [
  'read read_file bash shell run_shell_command exec_command grep grep_search',
  'search_file_content glob webfetch web_fetch edit write write_file',
].flatMap((names) => names.split(' '));

const CLAUDE_CLEARS = [...QWEN_CLEARS, 'websearch', 'web_search'];

/** Without the skills, plan and todos that it gives again; no recording has its clearing after a pause. */
export const claudeCode = resolvePolicy(peer, {
  describes:
    'Claude Code from 2.1.170: at 33,000 tokens below the window (13,000 and room for a summary); keeps the last call and its result. Some models of 2.1.197 and later compact at a refusal only.',
  source: `recordings (2026-11): trigger, what is kept, form of the request; ${PEERS}, section 4: clearing, files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code', countsNewerMessages: true, onRefusal: 'compact-if-auto' },
  prune: { ...AFTER_HOUR, enabled: false, keepLast: { outputs: 5, tools: CLAUDE_CLEARS } },
  cut: { keep: 'newest-messages', count: 1 },
  summary: {
    instruction: 'claude-code',
    form: EXTENDING,
    readsKept: 'all',
    length: {
      tokens: 2_600,
      source: 'median of 7 recorded summaries of 2.1.5 to 2.1.17 (2,192 to 3,252), by o200k_base',
    },
    outputCapTokens: 20_000,
  },
  resume: { rereads: { files: 5, fileTokens: 5_000, longFiles: 'beginning', totalTokens: 50_000 } },
  guards: { maxFailures: 3, maxRefilled: 3, shrinkSummaryRequest: true },
  estimator: { charsPerToken: 4, rounding: 'round' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    hidesRequest('recordings (2026-11): of the newest turn, the last call stays'),
  ],
});

/** None of its 31 recorded compactions keeps a message. */
export const claudeCode2131 = resolvePolicy(claudeCode, {
  describes: 'Claude Code 2.1.31 to 2.1.49: at 33,000 tokens below the window; keeps no messages.',
  source: `31 recorded compactions of 2.1.31 to 2.1.49: trigger, what is kept; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  cut: { keep: 'nothing' },
  breaks: [...UNGUARDED, REPEATS, hidesRequest('recordings (2026-11): nothing is kept')],
});

/** The newest answer counts as its stream began, with next to nothing. */
export const claudeCode2122 = resolvePolicy(claudeCode2131, {
  describes:
    'Claude Code 2.1.22 to 2.1.29: at 33,000 tokens below the window, without the newest answer; keeps no messages.',
  source: `8 recorded compactions of 2.1.25 and 2.1.29: trigger, what is kept; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code-2.1.22' },
});

/** The same with room for an answer. */
export const claudeCode2114 = resolvePolicy(claudeCode2122, {
  describes:
    'Claude Code 2.1.14 to 2.1.20: at 13,000 tokens below the window less an answer (at most 32,000), without the newest answer; keeps no messages.',
  source: `13 recorded compactions of 2.1.14 to 2.1.20: trigger, what is kept, length; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code-2.1.14' },
});

/** The newest usage with its answer, and what is newer. */
export const claudeCode21 = resolvePolicy(claudeCode2114, {
  describes:
    'Claude Code 2.1.5 to 2.1.7: at 13,000 tokens below the window less an answer (at most 32,000), with what is newer than the newest usage; keeps no messages.',
  source: `20 recorded compactions of 2.1.5 and 2.1.7: trigger, what is kept, length; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code-2.1' },
});

/** The newest usage alone counts. */
export const claudeCode20 = resolvePolicy(claudeCode21, {
  describes:
    'Claude Code 2.0.75 to 2.1.2: at 13,000 tokens below the window less an answer (at most 32,000), by the newest usage alone; keeps no messages.',
  source: `6 recorded compactions of 2.0.75 to 2.1.2: trigger; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { countsNewerMessages: false },
});

const OBSERVED = 'records of the oracle (2026-11)';

const ALL_GOES = hidesRequest(
  `${PEERS}, section 6a: all is summarised after a last word of the model`,
);

/** Gemini CLI 0.24, which opens each session with a message of its own. */
export const geminiCli024 = resolvePolicy(peer, {
  describes:
    'Gemini CLI (0.24): at half the window, also in a session of one prompt; clears nothing.',
  source: `${OBSERVED}; ${PEERS}, section 6a; ${OWN_TEXT}`,
  trigger: { overflow: 'gemini-cli' },
  reading: { overflowErrors: 'none' },
  cut: { keep: 'last-share', share: 0.3, opening: true },
  summary: {
    instruction: 'gemini-cli',
    anchored: true,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'nothing' },
  },
  estimator: { imageTokens: 3_000, documentTokens: 25_800 },
  breaks: [...UNGUARDED, ALL_GOES],
});

export const geminiCli026 = resolvePolicy(geminiCli024, {
  describes:
    'Gemini CLI (0.26 to 0.29): at half the window, also in a session of one prompt; checks its summary, and clears nothing.',
  summary: { form: { verifies: true }, asksAgain: { attempts: 10 } },
  guards: { rejectEmptySummary: true },
  breaks: [...FILLED, ALL_GOES],
});

export const geminiCli034 = resolvePolicy(geminiCli026, {
  describes:
    'Gemini CLI (0.30 to 0.53), classic: at half the window, also in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
  prune: {
    enabled: true,
    when: 'before-request',
    byAge: {
      protectTokens: 50_000,
      minimumTokens: 29_999,
      skipNewestMessages: 1,
      summaryInGuard: 'stop',
      protectedTools: ['activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode'],
    },
  },
  reading: { outputCapCharacters: { whole: 40_000, kept: 40_000 } },
});

/** Gemini CLI from 0.57 on, where the opening message is part of the first prompt. */
export const geminiCli = resolvePolicy(geminiCli034, {
  describes:
    'Gemini CLI (0.57 and later), classic: at half the window, never in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
  cut: { keep: 'last-share', share: 0.3 },
});

export const qwenCode012 = resolvePolicy(peer, {
  describes:
    'Qwen Code 0.12: at 70 % of the window; keeps the newest 30 %, at least from the newest prompt on.',
  source: `observed of 0.12.0; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code-0.15' },
  cut: { keep: 'last-share', share: 0.3, opening: true },
  summary: { instruction: 'qwen-code', length: ASSUMED_LENGTH, rejectionGoesOn: true },
  // It compares sizes as the provider tells them, which no summary of a small head exceeds.
  guards: { rejectEmptySummary: true, maxFailures: 1 },
  estimator: { rounding: 'ceil', imageTokens: 1_600, documentTokens: 1_600 },
  breaks: [...FILLED, REPEATS, hidesRequest('observed of 0.15.10 to 0.24.4: the prompt goes, too')],
});

/** Qwen Code 0.15: in the middle of a turn its newest three steps stay, and not the prompt. */
export const qwenCode015 = resolvePolicy(qwenCode012, {
  describes:
    'Qwen Code 0.15: at 70 % of the window; keeps the newest 30 % from a prompt on, or the newest three steps of a turn.',
  source: `observed of 0.15.10; ${PEERS}, section 5: clearing after a pause; ${OWN_TEXT}`,
  trigger: { onRefusal: 'compact-once' },
  reading: { overflowErrors: 'without-413', outputCapCharacters: { whole: 25_000, kept: 25_000 } },
  prune: { ...AFTER_HOUR, enabled: true, keepLast: { outputs: 5, tools: QWEN_CLEARS } },
  cut: { keep: 'last-share', share: 0.3, steps: 3 },
});

export const qwenCode0212 = resolvePolicy(qwenCode015, {
  describes:
    'Qwen Code 0.21.2: at 33,000 tokens below the window, but at 85 % of it at the latest; keeps the newest call and its results; asks for a summary once.',
  source: `observed of 0.21.2; ${PEERS}, section 5; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code', countsNewerMessages: true, onRefusal: 'compact-once-a-step' },
  reading: { outputCapCharacters: { whole: 25_000, kept: 4_500 } },
  cut: { keep: 'pending', openingTokens: 2_300 },
  summary: { readsKept: 'steps', stripMedia: true, outputCapTokens: 20_000 },
  resume: { rereads: { files: 5, fileTokens: 5_000, longFiles: 'path', totalTokens: 50_000 } },
  guards: { rejectTruncatedSummary: true, maxFailures: 3 },
});

export const qwenCode02110 = resolvePolicy(qwenCode0212, {
  describes:
    'Qwen Code 0.21.10: at 33,000 tokens below the window, but at 85 % of it at the latest; keeps the newest call and its results; a failed summary ends the turn.',
  source: `observed of 0.21.10; ${PEERS}, section 5; ${OWN_TEXT}`,
  summary: {
    form: EXTENDING,
    refusedForm: FRESH,
    asksAgain: {
      attempts: 2,
      afterErrors: true,
      form: FRESH,
      drops: 'nothing',
      refusedShares: [1],
    },
  },
  guards: { rejectLargerSummary: true },
});

export const qwenCode = resolvePolicy(qwenCode02110, {
  describes:
    'Qwen Code 0.23 and later: at 33,000 tokens below the window, but at 85 % of it at the latest; keeps the newest call and its results.',
  source: `observed of 0.23.4 to 0.24.4; ${PEERS}, section 5; ${OWN_TEXT}`,
  reading: { overflowErrors: 'v1.18.4' },
  summary: { failureGoesOn: true },
});

export const codexLocal099 = resolvePolicy(peer, {
  describes: 'Codex CLI (0.99 to 0.168): as 0.169, but a refused summary ends the turn.',
  source: `${OBSERVED}; ${PEERS}, section 7; ${OWN_TEXT}`,
  trigger: {
    overflow: 'codex-local',
    countsNewerMessages: true,
    leavesOutPrompts: true,
    countsSealed: true,
    takesZero: true,
  },
  reading: {
    overflowErrors: 'codex',
    outputCapCharacters: { whole: 10_000, kept: 10_000 },
    retries: 'codex',
  },
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: { instruction: 'codex-local', emptyText: '(no summary available)' },
  estimator: { rounding: 'ceil' },
  breaks: [...FILLED, hidesRequest(`${PEERS}, section 7: a long prompt is cut`)],
});

export const codexLocal = resolvePolicy(codexLocal099, {
  describes:
    'Codex CLI (0.169 and later) with a local summary: at 90 % of what the model takes, the newest outputs estimated; keeps up to 20,000 tokens of user messages; a refused summary is asked for again without the oldest.',
  summary: { asksAgain: { attempts: 1, afterErrors: false, drops: 'nothing', refusedDrops: 2 } },
});

export const codexLocal095 = resolvePolicy(codexLocal099, {
  describes: 'Codex CLI (0.95 to 0.98): as 0.99, but a failed summary is passed over.',
  summary: { failureGoesOn: true },
});

export const codexLocal079 = resolvePolicy(codexLocal095, {
  describes: 'Codex CLI (0.74 to 0.94): as 0.95, but by usage alone.',
  trigger: { countsNewerMessages: false },
});

export const codexLocal059 = resolvePolicy(codexLocal079, {
  describes: 'Codex CLI (0.59 to 0.73): as 0.74, but after each step, also the last of a turn.',
  trigger: { afterStep: true, beforeRequest: false },
});

export const codexLocal053 = resolvePolicy(codexLocal059, {
  describes: 'Codex CLI (0.53): as 0.59, without reasoning; cuts prompts as one text.',
  trigger: { overflow: 'codex-local-0.53' },
  reading: { outputCapCharacters: { whole: 5_000, kept: 5_000 }, retries: 'v1.17.15' },
  cut: { keep: 'user-messages', tokens: 20_000, firstTokens: 10_000 },
});

/** With an opaque summary; context that is given again is overhead here. */
export const codexRemote = resolvePolicy(codexLocal099, {
  describes:
    'Codex CLI (2026) with a summary by its service: at 90 % of what the model takes; keeps up to 64,000 tokens of user messages and a block that only the service can read.',
  source: `25 recorded compactions of 2026: what is kept and how much is left; ${PEERS}, section 7: trigger, limit of what is kept; what the service asks for and its bill are not known, and are taken as the session's request and one message`,
  // As 12,415 tokens came of 83,556 characters in 0.104.0.
  reading: { outputCapCharacters: { whole: 40_000, kept: 40_000 } },
  cut: { keep: 'user-messages', tokens: 64_000 },
  summary: {
    form: EXTENDING,
    length: {
      tokens: 2_500,
      source:
        '25 recorded compactions of 2026 left 16,600 to 30,000 tokens (median 21,900), of which system, tools and context take 17,000 to 18,700; a recorded block has 13,412 characters of base64',
    },
  },
  guards: { rejectEmptySummary: true, shrinkSummaryRequest: true },
});

export const codexRemote077 = resolvePolicy(codexRemote, {
  describes: 'Codex CLI (0.77) with a summary by its service: at 90 %, by usage alone.',
  trigger: { countsNewerMessages: false },
});
