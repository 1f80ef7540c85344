/** Bounds and baselines: policies whose prune clears in another order. */

import { expectForm, oneOf } from '../form/check.ts';
import type { EvictionName, Policy } from '../policy.ts';
import { resolvePolicy } from '../form/policy-form.ts';
import { evictionOrders } from '../prune/eviction-orders.ts';
import { opencode1216 } from './opencode.ts';

const SOURCE = 'evaluation design, section 9.3';

/** The bound: it knows which outputs will be needed, and when (Belady's rule, by size). */
export const clairvoyant = replaceEviction(opencode1216, 'clairvoyant');

/** A baseline that draws lots, by the seed of the run. */
export const random = replaceEviction(opencode1216, 'random');

/** A baseline that knows sizes only. */
export const largestFirst = replaceEviction(opencode1216, 'largest-first');

/** A baseline that knows what was used, but not what will be. */
export const leastRecentlyUsed = replaceEviction(opencode1216, 'least-recently-used');

/**
 * A policy that prunes when the base would, as many tokens, and chooses other outputs; all else is the base's.
 * It keeps what it clears, since what the base would see must not be lost. A base without a prune has no other. Throws
 * a `TypeError` at an order that there is not.
 */
export function replaceEviction(base: Policy, evicts: EvictionName): Policy {
  expectForm('evicts', evicts, oneOf(evictionOrders));
  const overwrites = base.prune.storedOutput === 'overwritten';
  return resolvePolicy(base, {
    name: evicts,
    describes: `Clears ${evictionOrders[evicts].describes}, when and as much as ${base.name} would.`,
    source: `${SOURCE}; all else: ${base.source}`,
    prune: {
      evicts,
      storedOutput: 'kept',
      ...(overwrites && { byAge: { atCleared: 'stop' } }),
    },
    breaks: [
      ...base.breaks.filter(({ law }) => law !== 'prune-saves-enough'),
      {
        law: 'prune-saves-enough',
        source: `${SOURCE}: what an earlier prune cleared beyond the budget need not go again`,
      },
    ],
  });
}
