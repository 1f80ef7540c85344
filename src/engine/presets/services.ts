/** Presets of compaction that a provider does on its own side. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, UNGUARDED } from './peer.ts';

/** Server-side compaction of Anthropic's API at its default trigger. The block that it leaves is shown as a user message here. */
export const anthropicCompact: Policy = resolvePolicy(peer, {
  name: 'anthropic-compact',
  describes:
    "Compaction by Anthropic's API, compact-2026-01-12: at 150,000 tokens, whatever the window; keeps no messages.",
  source: `${PEERS}, section 8; ${OWN_TEXT}`,
  trigger: { overflow: 'anthropic-compact', countsNewerMessages: true },
  summary: {
    instruction: 'anthropic-compact',
    length: {
      tokens: 2_400,
      source: "evaluation design, section 1.1: 7,000 to 12,000 characters of the vendor's SDK",
    },
  },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 8: the whole conversation` },
  ],
});
