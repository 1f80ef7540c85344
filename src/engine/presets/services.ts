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

/** Server-side compaction of OpenAI's Responses API. The item that it leaves is sealed; a summary as a user message stands for it here. */
export const openaiCompact: Policy = resolvePolicy(peer, {
  name: 'openai-compact',
  describes:
    "Compaction by OpenAI's Responses API (2026-08): at the compact_threshold of a request, 200,000 tokens as documented; keeps no messages.",
  source: `${PEERS}, section 9, and its documentation; ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'tokens', atLeast: 200_000 }]],
    countsNewerMessages: true,
  },
  summary: { instruction: 'plain' },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 9: what is older can be dropped` },
  ],
});
