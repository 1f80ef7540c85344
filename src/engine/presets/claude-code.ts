/** Presets of Claude Code. */

import { resolvePolicy } from '../check-policy.ts';
import { EXTENDING, hidesRequest } from './opencode-early.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peers.ts';

const MINUTE_MS = 60_000;

/** Tools whose outputs Qwen Code clears after a pause, as it and other agents call them. */
export const QWEN_CLEARS = [
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
  prune: {
    enabled: false,
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
