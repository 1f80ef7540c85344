/** Presets of Codex. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS } from './peer.ts';

/** Codex with a local summary: what the person said stays, newest first up to 20,000 tokens; all else is summarised. */
export const codexLocal: Policy = resolvePolicy(peer, {
  name: 'codex-local',
  describes:
    'Codex CLI (2026-08) with a local summary: at 90 % of what the model takes; keeps up to 20,000 tokens of user messages.',
  source: `${PEERS}, section 7; ${OWN_TEXT}`,
  trigger: { overflow: 'codex-local', countsNewerMessages: true, onRefusal: 'compact-once' },
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: { instruction: 'codex-local', emptyText: '(no summary available)' },
  guards: { shrinkSummaryRequest: true },
  estimator: { rounding: 'ceil' },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 7: a long prompt is cut` },
  ],
});
