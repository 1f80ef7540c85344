/** Presets of agents with a memory of their own: Letta and Mastra. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/** Letta's sliding window. Looking again at what left, by its search, is left out. */
export const letta: Policy = resolvePolicy(peer, {
  name: 'letta',
  describes:
    'Letta (2026-08), sliding window: above 90 % of the window; evicts the oldest 30 % of messages, and 10 % more until 70 % of the window is left.',
  source: `${PEERS}, section 17; ${OWN_TEXT}`,
  trigger: {
    overflow: 'above-window',
    windowShare: 0.9,
    countsNewerMessages: true,
    onRefusal: 'compact-once',
  },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 0,
    newest: [{ of: 'all', share: 0.7 }],
    crossing: 'goes',
    beginsWith: 'answer',
    furtherShare: { step: 0.1, untilWindowShare: 0.7 },
  },
  summary: {
    instruction: 'letta',
    length: { tokens: 400, source: `${PEERS}, section 17: 300 words` },
  },
  guards: { shrinkSummaryRequest: true },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 17: what stays begins with an answer`,
    },
  ],
});

/**
 * Mastra's observational memory: messages that nobody has observed are counted, apart from all else. Its log is written anew
 * each time here; there it grows, in the background, and is condensed at 40,000 tokens.
 */
export const mastra: Policy = resolvePolicy(peer, {
  name: 'mastra',
  describes:
    'Mastra (2026-08), observational memory: at 30,000 tokens of messages since the newest observations; keeps the newest 20 % of them.',
  source: `${PEERS}, section 18, and its changelog (1.5.2: also between steps); ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    counted: 'since-summary',
    anyOf: [[{ unit: 'tokens', atLeast: 30_000 }]],
  },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 0,
    newest: [{ of: 'tokens', count: 6_000 }],
    crossing: 'goes',
  },
  summary: { instruction: 'mastra', form: { kind: 'flattened' }, anchored: true },
  breaks: [
    ...UNGUARDED,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 18: a share of the messages stays`,
    },
  ],
});
