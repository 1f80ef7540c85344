/** Presets of Gemini CLI. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { FILLED, OWN_TEXT, peer, PEERS } from './peer.ts';

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
