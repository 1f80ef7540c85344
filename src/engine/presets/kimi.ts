/** Presets of Kimi CLI and its successor, Kimi Code. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING, FRESH } from './opencode.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/** Of the window that it learns from a refusal, 85 % of the estimate, an eighth is for the answer; of the rest, 85 %. */
const REFUSED_SHARE = 0.85 * (7 / 8) * 0.85;

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
 * Kimi Code 0.20: the trigger of Kimi CLI. The newest steps of some four messages stay. The summary is asked for by the
 * session's own request up to there; an empty one is asked for again, and more stays.
 */
export const kimiCode020: Policy = resolvePolicy(peer, {
  name: 'kimi-code-0.20',
  describes:
    'Kimi Code 0.20: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest four messages, results counted.',
  source: `observed of 0.20.0; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-cli', countsNewerMessages: true, onRefusal: 'compact-if-auto' },
  cut: { keep: 'newest-exchanges', count: 4 },
  summary: {
    instruction: 'kimi-cli',
    form: EXTENDING,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'newest' },
  },
  guards: { rejectEmptySummary: true },
  estimator: { rounding: 'ceil' },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: 'observed of 0.20.0: four messages stay' },
  ],
});

/**
 * Kimi Code 0.30: all is summarised, by the session's own request with one message more; what the person said stays in front
 * of the summary. An empty summary is asked for again without the oldest message.
 */
export const kimiCode030: Policy = resolvePolicy(kimiCode020, {
  name: 'kimi-code-0.30',
  describes:
    'Kimi Code 0.30 to 0.43: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps up to 20,000 tokens of what the person said.',
  source: `observed of 0.29.0 to 0.43.1, read in 0.25.0; ${OWN_TEXT}`,
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: {
    readsKept: 'all',
    asksAgain: { form: { ...FRESH, tools: true }, drops: 'oldest' },
  },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: 'read in 2.1.0: a long prompt is cut' },
  ],
});

/** Kimi Code 2: as 0.30, but after a refusal only the newest messages are summarised. */
export const kimiCode: Policy = resolvePolicy(kimiCode030, {
  name: 'kimi-code',
  describes:
    'Kimi Code 2: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps up to 20,000 tokens of what the person said.',
  source: `observed of 2.0.2 and 2.1.0; ${OWN_TEXT}`,
  summary: { refusedForm: { ...FRESH, tools: true }, refusedShare: REFUSED_SHARE },
});
