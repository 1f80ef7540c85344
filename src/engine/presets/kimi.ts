/** Presets of Kimi CLI and its successor, Kimi Code. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING } from './opencode.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/** Kimi CLI: 85 % of the window or 50,000 tokens below it, whichever is less; the newest two messages stay. */
export const kimiCli: Policy = resolvePolicy(peer, {
  name: 'kimi-cli',
  describes:
    'Kimi CLI (2026): at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest two messages.',
  source: `${PEERS}, section 21; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-cli', countsNewerMessages: true },
  cut: { keep: 'newest-messages', count: 2 },
  summary: { instruction: 'kimi-cli', form: { kind: 'flattened' } },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 21: two messages stay` },
  ],
});

/**
 * Kimi Code: the trigger of Kimi CLI. All is summarised, by the session's own request with one message more; what the
 * person said stays in front of the summary. An empty summary is asked for again without the oldest message.
 */
export const kimiCode: Policy = resolvePolicy(peer, {
  name: 'kimi-code',
  describes:
    'Kimi Code from 0.30 on: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps up to 20,000 tokens of what the person said.',
  source: `observed of 0.30.0 to 2.1.0; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-cli', countsNewerMessages: true, onRefusal: 'compact' },
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: {
    instruction: 'kimi-cli',
    form: EXTENDING,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'oldest' },
  },
  guards: { rejectEmptySummary: true },
  estimator: { rounding: 'ceil' },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: 'observed of 2.1.0: a long prompt is cut' },
  ],
});

/** Kimi Code 0.20: the newest steps of some four messages stay, and only what is older is summarised. */
export const kimiCode020: Policy = resolvePolicy(kimiCode, {
  name: 'kimi-code-0.20',
  describes:
    'Kimi Code 0.20: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest four messages, results counted.',
  source: `observed of 0.20.0; ${OWN_TEXT}`,
  cut: { keep: 'newest-exchanges', count: 4 },
  summary: { asksAgain: { drops: 'newest' } },
});
