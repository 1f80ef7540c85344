/** Presets of the alternatives that design document 004 describes. */

import { type Policy } from '../policy.ts';
import { resolvePolicy } from '../form/policy-form.ts';
import { document004 } from './documents.ts';

const SOURCE = 'design document 004, alternative strategies';

/** Document 004's rolling window: only the newest 50 messages, whatever they are; nothing is summarised. */
export const rollingWindow: Policy = resolvePolicy(document004, {
  name: 'rolling-window',
  describes: 'Keeps the newest 50 messages and discards older ones.',
  source: SOURCE,
  trigger: { auto: false, afterStep: false },
  view: 'rolling-window',
  cut: { keep: 'everything' },
  breaks: [
    { law: 'newest-request-visible', source: `${SOURCE}: a long turn pushes its own request out` },
  ],
});

/** Document 004's selective pruning: when the window is nine tenths full, all tool outputs go; text and calls stay. */
export const selectivePruning: Policy = resolvePolicy(document004, {
  name: 'selective-pruning',
  describes: 'At 90 % of the window, removes tool outputs but keeps text.',
  source: SOURCE,
  prune: {
    enabled: true,
    when: 'on-overflow',
    pass: 'all-outputs',
    byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0, protectedTools: [] },
  },
  view: 'v1.2.16',
  cut: { keep: 'everything' },
  breaks: [
    { law: 'prune-keeps-guarded-turns', source: `${SOURCE}: every message is stripped` },
    { law: 'prune-keeps-protected-tools', source: `${SOURCE}: every tool result is removed` },
  ],
});

/**
 * Document 004's external memory: when the window is nine tenths full, all but the ten newest messages move to
 * a store; each request gets back what fits it. Found by words (BM25) where the document asks for a vector database.
 */
export const externalMemory: Policy = resolvePolicy(document004, {
  name: 'external-memory',
  describes: 'Moves old context to an external store and retrieves what a request needs.',
  source: SOURCE,
  view: 'v1.2.16',
  cut: { keep: 'everything' },
  memory: { keepMessages: 10, recallEntries: 10, recallTokens: 8_000 },
  breaks: [
    { law: 'newest-request-visible', source: `${SOURCE}: a long turn moves its own request out` },
  ],
});
