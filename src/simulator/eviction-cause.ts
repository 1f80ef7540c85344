/**
 * What takes parts out of a view: a prune that clears outputs, a pivot that puts a summary in the place of messages, a
 * summary that failed, which hides messages all the same in some releases, a window that shows the newest messages only,
 * or a move to external memory.
 */
export const EVICTION_CAUSES = ['prune', 'pivot', 'failed-summary', 'window', 'memory'] as const;

/** One of them. */
export type EvictionCause = (typeof EVICTION_CAUSES)[number];

/** Whether parts leave without a prune or a pivot. */
export function isSlide(cause: EvictionCause): boolean {
  return cause !== 'prune' && cause !== 'pivot';
}
