/** Presets of Kilo, a fork of OpenCode. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { opencode118, opencode1216 } from './opencode.ts';

/** Kilo 7.0: as OpenCode 1.2.16, but a refused request ends the turn. */
export const kilo70: Policy = resolvePolicy(opencode1216, {
  name: 'kilo-7.0',
  describes: 'Kilo 7.0 (2026-05): as OpenCode 1.2.16, but a refused request ends the turn.',
  source: 'observed of 7.0.33',
  trigger: { onRefusal: 'stop' },
  // Nothing but a refusal compacts against a person's wish.
  breaks: opencode1216.breaks.filter(({ law }) => law !== 'auto-off-means-never'),
});

/** Kilo 7.7.0 to 7.7.8: as OpenCode 1.18, but the end of a turn waits for the next prompt. Between 7.7.2 and 7.7.9 nothing was seen. */
export const kilo77: Policy = resolvePolicy(opencode118, {
  name: 'kilo-7.7',
  describes: 'Kilo 7.7.0 to 7.7.8 (2026-09): as OpenCode 1.18, checked before a request alone.',
  source: 'observed of 7.7.2',
  trigger: { afterStep: false },
});

/** Kilo 7.7.9 and later: history and template go as one message, more stays, and an empty summary ends the turn. */
export const kilo: Policy = resolvePolicy(kilo77, {
  name: 'kilo',
  describes:
    'Kilo 7.7.9 and later (2026-09): checked before a request alone; keeps up to 15,000 tokens; rejects empty summaries.',
  source: 'observed of 7.7.9',
  cut: { keep: 'recent-turns', turns: 1, splitsTurns: true, maximumBudgetTokens: 15_000 },
  summary: { form: { kind: 'flattened' } },
  guards: { rejectEmptySummary: true },
});
