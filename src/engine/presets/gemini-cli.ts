/** Presets of Gemini CLI, by release. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { FILLED, OWN_TEXT, peer, PEERS, UNGUARDED } from './peer.ts';

const OBSERVED = 'records of the oracle (2026-11)';
const SHARE = 0.3;
const ALL_GOES = {
  law: 'newest-request-visible',
  source: `${PEERS}, section 6a: all is summarised after a last word of the model`,
} as const;

/** Half of the window, the newest 30 % stay; an empty answer is asked for again. Each session opens with a message of its own. */
export const geminiCli024: Policy = resolvePolicy(peer, {
  name: 'gemini-cli-0.24',
  describes:
    'Gemini CLI (0.24): at half the window, also in a session of one prompt; clears nothing.',
  source: `${OBSERVED}; ${PEERS}, section 6a; ${OWN_TEXT}`,
  trigger: { overflow: 'gemini-cli' },
  reading: { overflowErrors: 'none' },
  cut: { keep: 'last-share', share: SHARE, opening: true },
  summary: {
    instruction: 'gemini-cli',
    anchored: true,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'nothing' },
  },
  estimator: { imageTokens: 3_000, documentTokens: 25_800 },
  breaks: [...UNGUARDED, ALL_GOES],
});

/** A second call checks the summary, and old outputs are masked before each request. */
export const geminiCli034: Policy = resolvePolicy(geminiCli024, {
  name: 'gemini-cli-0.34',
  describes:
    'Gemini CLI (0.34 to 0.52), classic: at half the window, also in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
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
  summary: { form: { verifies: true }, asksAgain: { attempts: 10 } },
  guards: { rejectEmptySummary: true },
  breaks: [...FILLED, ALL_GOES],
});

/** The opening message is part of the first prompt, so that a session of one prompt has nothing to summarise. */
export const geminiCli: Policy = resolvePolicy(geminiCli034, {
  name: 'gemini-cli',
  describes:
    'Gemini CLI (0.61), classic: at half the window, never in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
  cut: { keep: 'last-share', share: SHARE },
});
