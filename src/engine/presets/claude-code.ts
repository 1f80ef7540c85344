/** Presets of Claude Code. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING } from './opencode.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

const MINUTE_MS = 60_000;

/** Tools whose outputs Qwen Code clears after a pause, as it and other agents call them. */
export const QWEN_CLEARS = [
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

/**
 * Claude Code from 2.1.36 on: outputs of its tools but the newest five go after an hour without a request; then all but the
 * last call and its result is summarised, and the files that were read last are given again. A prompt that nobody has
 * answered counts as that last message. Skills, plan and todos, which it gives again as well, are left out.
 */
export const claudeCode: Policy = resolvePolicy(peer, {
  name: 'claude-code',
  describes:
    'Claude Code from 2.1.36: at 33,000 tokens below the window (13,000 and room for a summary); keeps the last call and its result. Some models of 2.1.197 and later compact at a refusal only.',
  source: `recordings (2026-11): trigger, what is kept, form of the request; ${PEERS}, section 4: clearing, files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code', countsNewerMessages: true, onRefusal: 'compact-if-auto' },
  prune: {
    enabled: true,
    when: 'idle',
    idleMs: 60 * MINUTE_MS,
    pass: 'keep-last',
    keepLast: { outputs: 5, tools: CLAUDE_CLEARS },
  },
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
  estimator: { charsPerToken: 3, rounding: 'ceil' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: 'recordings (2026-11): of the newest turn, the last call stays',
    },
  ],
});

/**
 * Claude Code 2.1.5 to 2.1.17: 200,000 − 32,000 − 13,000 tokens, as its recordings have it to the token. What is newer than the
 * newest usage counts at four characters a token. Recordings clear nothing after a pause; one of 2.1.17 clears by size, which is left out.
 */
export const claudeCode21: Policy = resolvePolicy(claudeCode, {
  name: 'claude-code-2.1',
  describes:
    'Claude Code 2.1.5 to 2.1.17: at 13,000 tokens below the window less the answer (at most 32,000), with what is newer than the newest usage; keeps no messages.',
  source: `6 recorded compactions of 2.1.5, 2.1.7 and 2.1.17: trigger, length; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { overflow: 'claude-code-2.1' },
  prune: { enabled: false },
  cut: { keep: 'nothing' },
  estimator: { charsPerToken: 4, rounding: 'round' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 4: no verbatim tail` },
  ],
});

/** Claude Code 2.0.75 and 2.0.76: as 2.1.5, but the newest usage alone counts. */
export const claudeCode20: Policy = resolvePolicy(claudeCode21, {
  name: 'claude-code-2.0',
  describes:
    'Claude Code 2.0.75 and 2.0.76: at 13,000 tokens below the window less the answer (at most 32,000), by the newest usage alone; keeps no messages.',
  source: `2 recorded compactions of 2.0.75 and 2.0.76: trigger; ${PEERS}, section 4: files, guards; ${OWN_TEXT}`,
  trigger: { countsNewerMessages: false },
});
