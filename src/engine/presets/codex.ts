/** Presets of Codex, by release, and of its compaction by the provider. */

import { resolvePolicy } from '../check-policy.ts';
import { EXTENDING, hidesRequest } from './opencode-early.ts';
import { FILLED, OWN_TEXT, PEERS, peer } from './peers.ts';

const OBSERVED = 'records of the oracle (2026-11)';

export const codexLocal = resolvePolicy(peer, {
  describes:
    'Codex CLI (0.99 and later) with a local summary: at 90 % of what the model takes, the newest outputs estimated; keeps up to 20,000 tokens of user messages.',
  source: `${OBSERVED}; ${PEERS}, section 7; ${OWN_TEXT}`,
  trigger: { overflow: 'codex-local', countsNewerMessages: true, onRefusal: 'stop' },
  reading: { overflowErrors: 'codex' },
  cut: { keep: 'user-messages', tokens: 20_000 },
  summary: { instruction: 'codex-local', emptyText: '(no summary available)' },
  guards: { shrinkSummaryRequest: true },
  estimator: { rounding: 'ceil' },
  breaks: [...FILLED, hidesRequest(`${PEERS}, section 7: a long prompt is cut`)],
});

/** Goes by the reported usage alone, and on without a summary where that failed. */
export const codexLocal079 = resolvePolicy(codexLocal, {
  describes:
    'Codex CLI (0.79 to 0.87) with a local summary: at 90 % of what the model takes, by usage alone; a failed summary is passed over.',
  trigger: { countsNewerMessages: false },
  summary: { failureGoesOn: true },
});

/** Looks at each step when it has finished, also the last of a turn, and goes on with the turn. */
export const codexLocal053 = resolvePolicy(codexLocal079, {
  describes:
    'Codex CLI (0.53 to 0.66) with a local summary: after a step at 90 % of what the model takes, by usage alone, also at the end of a turn.',
  trigger: { afterStep: true, beforeRequest: false },
});

/** With an opaque summary; context that is given again is overhead here. */
export const codexRemote = resolvePolicy(peer, {
  describes:
    'Codex CLI (2026) with a summary by its service: at 90 % of what the model takes; keeps up to 64,000 tokens of user messages and a block that only the service can read.',
  source: `25 recorded compactions of 2026: what is kept and how much is left; ${PEERS}, section 7: trigger, limit of what is kept; what the service asks for and its bill are not known, and are taken as the session's request and one message`,
  trigger: { overflow: 'codex-local', countsNewerMessages: true },
  cut: { keep: 'user-messages', tokens: 64_000 },
  summary: {
    instruction: 'codex-local',
    form: EXTENDING,
    length: {
      tokens: 2_500,
      source:
        '25 recorded compactions of 2026 left 16,600 to 30,000 tokens (median 21,900), of which system, tools and context take 17,000 to 18,700; a recorded block has 13,412 characters of base64',
    },
  },
  guards: { rejectEmptySummary: true, shrinkSummaryRequest: true },
  estimator: { rounding: 'ceil' },
  breaks: [...FILLED, hidesRequest(`${PEERS}, section 7: a long prompt is cut`)],
});
