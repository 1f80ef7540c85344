/** Presets of Qwen Code. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { claudeCode, QWEN_CLEARS } from './claude-code.ts';
import { ASSUMED_LENGTH } from './opencode.ts';
import { FILLED, OWN_TEXT, PEERS, REPEATS } from './peer.ts';

/** Qwen Code: the design of Claude Code with numbers from its source, an upper share of the window, and more guards. */
export const qwenCode: Policy = resolvePolicy(claudeCode, {
  name: 'qwen-code',
  describes:
    'Qwen Code (2026-08): like Claude Code, but at 85 % of the window at the latest; keeps what is still unanswered.',
  source: `${PEERS}, section 5; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code' },
  prune: { keepLast: { tools: QWEN_CLEARS } },
  cut: { keep: 'unanswered' },
  summary: {
    instruction: 'qwen-code',
    length: ASSUMED_LENGTH,
    stripMedia: true,
    readsKept: false,
  },
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
