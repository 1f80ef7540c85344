/** Presets of Codex where OpenAI's service compacts. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING } from './opencode.ts';
import { FILLED, peer, PEERS } from './peer.ts';

/**
 * Codex with a summary by OpenAI's service, which is opaque: the newest user messages stay up to 64,000 tokens. It decides as
 * with a local summary, but compacts at no refusal. Context that is given again, such as a developer message, is overhead here.
 */
export const codexRemote: Policy = resolvePolicy(peer, {
  name: 'codex-remote',
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
  breaks: [
    ...FILLED,
    { law: 'newest-request-visible', source: `${PEERS}, section 7: a long prompt is cut` },
  ],
});
