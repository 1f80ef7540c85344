import { firstAtLeast } from '../../../first-at-least.ts';
import type { Occurrence } from './text-index.ts';

/** A piece of a text, in characters. */
type Piece = Pick<Occurrence, 'start' | 'end'>;

/** Tells whether a piece of a text lies within one of others, of which there may be very many. */
export function coverOf(others: readonly Piece[]): (piece: Piece) => boolean {
  const inOrder = others.toSorted((a, b) => a.start - b.start);
  const starts = inOrder.map(({ start }) => start);
  let farthest = 0;
  const ends = inOrder.map(({ end }) => {
    farthest = Math.max(farthest, end);
    return farthest;
  });
  return ({ start, end }) => (ends[firstAtLeast(starts, start + 1) - 1] ?? -1) >= end;
}
