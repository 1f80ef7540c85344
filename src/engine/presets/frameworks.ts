/** Presets of frameworks that trim, and of those of which only the trigger is known. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

const SOURCE = `${PEERS}, section 24`;
const LATE = {
  law: 'newest-request-visible',
  source: `${SOURCE}: messages go whoever they are of`,
} as const;

/**
 * Strands' default: messages beyond the newest 40 go when a turn has ended. Results of parallel calls are one message there,
 * and one each here; cutting long results after a refusal is left out.
 */
export const strands: Policy = resolvePolicy(peer, {
  name: 'strands',
  describes:
    'Strands Agents (2026-08), sliding window: keeps the newest 40 messages at the end of each turn; never summarises.',
  source: SOURCE,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'messages', atLeast: 41 }]],
    afterStep: true,
    beforeRequest: false,
    onlyBetweenTurns: true,
    onRefusal: 'compact-once',
  },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 0,
    newest: [{ of: 'messages', count: 40 }],
    crossing: 'goes',
  },
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, REPEATS, LATE],
});

/** Inspect's edits of the context: outputs alone. Thinking, of which it keeps one, is left as it is. */
export const inspectEdit: Policy = resolvePolicy(peer, {
  name: 'inspect-edit',
  describes:
    'Inspect (2026-08), CompactionEdit: above 90 % of the window, clears all tool outputs but the newest 3; never summarises.',
  source: SOURCE,
  trigger: { overflow: 'above-window', windowShare: 0.9, countsNewerMessages: true },
  prune: { enabled: true, when: 'on-overflow', pass: 'keep-last', keepLast: { outputs: 3 } },
  cut: { keep: 'everything' },
  breaks: [],
});

/** Inspect's trim; done once, where it goes on until the context fits. */
export const inspectTrim: Policy = resolvePolicy(peer, {
  name: 'inspect-trim',
  describes:
    'Inspect (2026-08), CompactionTrim: above 90 % of the window, drops the oldest fifth of messages behind the first; never summarises.',
  source: SOURCE,
  trigger: { overflow: 'above-window', windowShare: 0.9, countsNewerMessages: true },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 1,
    newest: [{ of: 'all', share: 0.8 }],
    crossing: 'goes',
  },
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, LATE],
});

/** Nothing stays here, as nothing is known of what it keeps. */
export const dockerAgent: Policy = resolvePolicy(peer, {
  name: 'docker-agent',
  describes: 'Docker agent (2026-08): at 90 % of the window; of what it keeps nothing is known.',
  source: `${SOURCE}; ${OWN_TEXT}`,
  trigger: { overflow: 'window', windowShare: 0.9 },
  summary: { instruction: 'plain' },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${SOURCE}: nothing that is kept is named` },
  ],
});
