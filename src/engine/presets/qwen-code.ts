/** Presets of Qwen Code, by the release from which each holds. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { QWEN_CLEARS } from './claude-code.ts';
import { ASSUMED_LENGTH, EXTENDING, FRESH } from './opencode.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS } from './peer.ts';

const MINUTE_MS = 60_000;

/** Qwen Code 0.15: seven tenths of the window; the newest 30 % stay, from a prompt on. A turn goes on without a summary. */
export const qwenCode015: Policy = resolvePolicy(peer, {
  name: 'qwen-code-0.15',
  describes: 'Qwen Code 0.15: at 70 % of the window; keeps the newest 30 %, from a prompt on.',
  source: `observed of 0.12.0 and 0.15.10; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code-0.15' },
  cut: { keep: 'last-share', share: 0.3 },
  summary: { instruction: 'qwen-code', length: ASSUMED_LENGTH, failureGoesOn: true },
  guards: { rejectEmptySummary: true, rejectLargerSummary: true, maxFailures: 1 },
  estimator: { rounding: 'ceil', imageTokens: 1_600, documentTokens: 1_600 },
  breaks: [
    ...FILLED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: 'observed of 0.15.10: all is summarised after a last word of the model',
    },
  ],
});

/**
 * Qwen Code 0.24: an upper share of the window, or a reserve below it. The newest step stays while its results wait. The
 * summary is asked for by the session's own request; if that gives nothing, by one without tools.
 */
export const qwenCode: Policy = resolvePolicy(qwenCode015, {
  name: 'qwen-code',
  describes:
    'Qwen Code 0.24: at 33,000 tokens below the window, but at 85 % of it at the latest; keeps the newest call and its results.',
  source: `observed of 0.24.4; ${PEERS}, section 5; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code', countsNewerMessages: true, onRefusal: 'compact-once' },
  prune: {
    enabled: true,
    when: 'idle',
    idleMs: 60 * MINUTE_MS,
    pass: 'keep-last',
    keepLast: { outputs: 5, tools: QWEN_CLEARS },
  },
  cut: { keep: 'pending' },
  summary: {
    form: EXTENDING,
    stripMedia: true,
    outputCapTokens: 20_000,
    asksAgain: { attempts: 2, afterErrors: true, form: FRESH, drops: 'nothing' },
  },
  resume: { rereads: { files: 5, fileTokens: 5_000, longFiles: 'path', totalTokens: 50_000 } },
  guards: { rejectTruncatedSummary: true, maxFailures: 3 },
  breaks: [
    ...FILLED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: 'observed of 0.24.4: what is answered is summarised, and all after a refusal',
    },
  ],
});
