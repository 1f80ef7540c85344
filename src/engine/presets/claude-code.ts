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
