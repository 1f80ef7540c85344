import { firstAtLeast } from '../../../lib/collections.ts';
import type { Occurrence } from '../text/text-index.ts';
import { BREAK_AHEAD, BREAK_BACK, SENTENCE_BREAK } from './past-cues.ts';

/** A piece of a text, in characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value next to a cue. */
export interface Neighbour {
  /** Its number among the values, in order. */
  readonly number: number;
  readonly distance: number;
  /** Nothing parts the two. */
  readonly isJoined: boolean;
  /** They stand in one sentence. */
  readonly isNear: boolean;
}

/** The values next to a cue; none where the cue is a part of a value, or all are far away. */
export interface Neighbours {
  readonly ahead?: Neighbour | undefined;
  readonly back?: Neighbour | undefined;
}

/** Characters over which no cue speaks of a value. */
export const FAR = 400;

/** Finds the neighbours of cues among the values of a text, in order. */
export function createNeighbours(
  text: string,
  places: readonly Occurrence[],
): (span: Span) => Neighbours {
  const starts = places.map(({ start }) => start);
  const ends = furthestEnds(places);
  return ({ start, end }) => {
    const next = firstAtLeast(starts, end);
    const [from, to] = [ends[next - 1] ?? -Infinity, starts[next] ?? Infinity];
    if (from > start) return {};
    return {
      ahead: to - end > FAR ? undefined : toNeighbour(next, text.slice(end, to), BREAK_AHEAD),
      back:
        start - from > FAR ? undefined : toNeighbour(next - 1, text.slice(from, start), BREAK_BACK),
    };
  };
}

/** How far each value and those before it reach, for one may lie in another. */
function furthestEnds(places: readonly Occurrence[]): readonly number[] {
  let furthest = 0;
  return places.map(({ end }) => (furthest = Math.max(furthest, end)));
}

function toNeighbour(number: number, between: string, breaks: RegExp): Neighbour {
  return {
    number,
    distance: between.length,
    isJoined: !breaks.test(between),
    isNear: !SENTENCE_BREAK.test(between),
  };
}
