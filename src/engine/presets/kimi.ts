/** Presets of Kimi CLI and its successor, Kimi Code. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING } from './opencode.ts';
import { OWN_TEXT, peer, PEERS, UNGUARDED } from './peer.ts';

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
