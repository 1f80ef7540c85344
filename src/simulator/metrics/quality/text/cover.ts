import { firstAtLeast } from '../../../lib/collections.ts';
import type { Occurrence } from './text-index.ts';

/** A piece of a text, in characters. */
type Piece = Pick<Occurrence, 'start' | 'end'>;

/** Those pieces of a text that lie within none of others, of which there may be very many: a part of a longer value is told by that alone. */
export function outside<Placed extends { readonly place: Piece }>(
  pieces: readonly Placed[],
  others: readonly { readonly place: Piece }[],
): readonly Placed[] {
  const isCovered = coverOf(others.map(({ place }) => place));
  return pieces.filter(({ place }) => !isCovered(place));
}

function coverOf(others: readonly Piece[]): (piece: Piece) => boolean {
  const inOrder = others.toSorted((a, b) => a.start - b.start);
  const starts = inOrder.map(({ start }) => start);
  let farthest = 0;
  const ends = inOrder.map(({ end }) => {
    farthest = Math.max(farthest, end);
    return farthest;
  });
  return ({ start, end }) => (ends[firstAtLeast(starts, start + 1) - 1] ?? -1) >= end;
}
