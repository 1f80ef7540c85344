/** Presets of the alternatives that design document 004 describes. */

import { resolvePolicy } from '../check-policy.ts';
import { expectNamed } from '../expect.ts';
import type { Policy } from '../policy.ts';
import type { EvictionName } from '../prune-policy.ts';
import { evictionOrders } from '../prune/by-rank.ts';
import { document002, document004 } from './documents.ts';
import { opencode1216 } from './opencode.ts';
import { hidesRequest } from './opencode-early.ts';

const SOURCE = 'design document 004, alternative strategies';

export const rollingWindow = resolvePolicy(document004, {
  describes: 'Keeps the newest 50 messages and discards older ones.',
  source: SOURCE,
  trigger: { auto: false, afterStep: false },
  view: 'rolling-window',
  cut: { keep: 'everything' },
  breaks: [hidesRequest(`${SOURCE}: a long turn pushes its own request out`)],
});

export const selectivePruning = resolvePolicy(document004, {
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

/** Found by words (BM25) where the document asks for a vector database. */
export const externalMemory = resolvePolicy(document004, {
  describes: 'Moves old context to an external store and retrieves what a request needs.',
  source: SOURCE,
  view: 'v1.2.16',
  cut: { keep: 'everything' },
  memory: { keepMessages: 10, recallEntries: 10, recallTokens: 8_000 },
  breaks: [hidesRequest(`${SOURCE}: a long turn moves its own request out`)],
});

const SOURCE_OF_BOUNDS = 'evaluation design, section 9.3';
const BASE: Policy = { ...opencode1216, name: 'opencode-1.2.16' };

/** The bound: it knows which outputs will be needed, and when (Belady's rule, by size). */
export const clairvoyant = replaceEviction(BASE, 'clairvoyant');

/** A baseline that draws lots, by the seed of the run. */
export const random = replaceEviction(BASE, 'random');

export const largestFirst = replaceEviction(BASE, 'largest-first');

/** A baseline that knows what was used, but not what will be. */
export const leastRecentlyUsed = replaceEviction(BASE, 'least-recently-used');

export const none = resolvePolicy(document002, {
  describes: 'Never compacts or prunes; replayed without a window limit.',
  source: 'the control of every comparison',
  trigger: { auto: false, afterStep: false, beforeRequest: false, onRefusal: 'stop' },
  cut: { keep: 'everything' },
  breaks: [],
  prune: { enabled: false },
});

/**
 * A policy that prunes when the base would, as many tokens, and chooses other outputs; all else is the base's. It keeps
 * what it clears, since what the base would see must not be lost. A base without a prune has no other. Throws a
 * `TypeError` at an order that there is not.
 */
export function replaceEviction(base: Policy, evicts: EvictionName): Policy {
  const { describes } = expectNamed('evicts', evicts, evictionOrders);
  const overwrites = base.prune.storedOutput === 'overwritten';
  return resolvePolicy(base, {
    name: evicts,
    describes: `Clears ${describes}, when and as much as ${base.name} would.`,
    source: `${SOURCE_OF_BOUNDS}; all else: ${base.source}`,
    prune: { evicts, storedOutput: 'kept', ...(overwrites && { byAge: { atCleared: 'stop' } }) },
    breaks: [
      ...base.breaks.filter(({ law }) => law !== 'prune-saves-enough'),
      {
        law: 'prune-saves-enough',
        source: `${SOURCE_OF_BOUNDS}: what an earlier prune cleared beyond the budget need not go again`,
      },
    ],
  });
}
