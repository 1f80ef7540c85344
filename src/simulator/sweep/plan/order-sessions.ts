import { groupBy } from '../../group-by.ts';
import type { PlannedSession } from './plan.ts';

/** What the order of a session follows from. */
interface OrderedSession {
  readonly ref: Pick<PlannedSession['ref'], 'file'>;
  readonly size: number;
}

/**
 * Sessions by their indices, large ones first, so that small ones are left to fill up the end. Those of one file follow
 * one another, for who has read it has all of them; their largest says when their turn is.
 */
export function largestFirst(
  sessions: readonly OrderedSession[],
  indices: readonly number[],
): readonly number[] {
  const sizeOf = (index: number | undefined) => sessions[index ?? -1]?.size ?? 0;
  const bySize = indices.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return [...groupBy(bySize, (index) => sessions[index]?.ref.file).values()].flat();
}
