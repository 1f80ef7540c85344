import { firstAtLeast } from '../../../first-at-least.ts';
import { groupBy } from '../../../group-by.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { type CueIndex, findCues } from './cue-index.ts';
import { listedWith } from './past-list.ts';
import {
  BREAK_AHEAD,
  BREAK_BACK,
  PAST_AFTER,
  PAST_BEFORE,
  PAST_BESIDE,
  PAST_BETWEEN,
  SENTENCE_BREAK,
} from './past-cues.ts';

/** Words of a text that say that something held before, by where they stand. */
export interface PastCues {
  readonly before: CueIndex;
  readonly after: CueIndex;
  readonly beside: CueIndex;
  readonly between: CueIndex;
}

/** Finds the words of a text that say that something held before. */
export function findPastCues(index: TextIndex): PastCues {
  return {
    before: findCues(index, PAST_BEFORE),
    after: findCues(index, PAST_AFTER),
    beside: findCues(index, PAST_BESIDE),
    between: findCues(index, PAST_BETWEEN),
  };
}

/**
 * Those places of the values of one thing that are told as what held before: each cue speaks of one of them, and of those listed
 * with it.
 */
export function placesToldAsPast(
  index: TextIndex,
  cues: PastCues,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const inOrder = places.toSorted((a, b) => a.start - b.start);
  const byUnit = groupBy(inOrder, ({ first }) => index.unitOf[first] ?? 0);
  return new Set(
    [...byUnit].flatMap(([number, own]) => {
      const unit = index.units[number] ?? NO_UNIT;
      return KINDS.flatMap((kind) =>
        [...spansIn(cues[kind], unit)].flatMap((span) => {
          const place = MEANT[kind](neighboursOf(index, own, span));
          return place === undefined ? [] : listedWith(index, own, { ...span, place });
        }),
      );
    }),
  );
}

const KINDS = [
  'before',
  'after',
  'beside',
  'between',
] as const satisfies readonly (keyof PastCues)[];
const NO_UNIT: Span = { start: 0, end: 0 };

/** A cue, from where to where. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value next to a cue. */
interface Neighbour {
  readonly place: Occurrence;
  readonly distance: number;
  /** Nothing parts the two. */
  readonly isJoined: boolean;
  /** They stand in one sentence. */
  readonly isNear: boolean;
}

/** The values next to a cue; none where the cue is a part of a value. */
interface Neighbours {
  readonly ahead?: Neighbour | undefined;
  readonly back?: Neighbour | undefined;
}

/** Which value a cue speaks of. */
const MEANT = {
  before: ({ ahead }) => joined(ahead),
  after: ({ back }) => joined(back),
  beside: ({ ahead, back }) => joined(ahead) ?? joined(back) ?? nearer(ahead, back),
  between: ({ ahead, back }) =>
    ahead?.isNear === true && back?.isNear === true ? back.place : undefined,
} as const satisfies Record<keyof PastCues, (neighbours: Neighbours) => Occurrence | undefined>;

function joined(neighbour: Neighbour | undefined): Occurrence | undefined {
  return neighbour?.isJoined === true ? neighbour.place : undefined;
}

function nearer(ahead: Neighbour | undefined, back: Neighbour | undefined): Occurrence | undefined {
  const near = [back, ahead].flatMap((one) => (one?.isNear === true ? one : []));
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.place;
}

function neighboursOf(
  { text }: TextIndex,
  places: readonly Occurrence[],
  { start, end }: Span,
): Neighbours {
  if (places.some((place) => place.start < end && start < place.end)) return {};
  const ahead = places.find((place) => place.start >= end);
  const back = places.findLast((place) => place.end <= start);
  return {
    ahead: ahead && toNeighbour(ahead, text.slice(end, ahead.start), BREAK_AHEAD),
    back: back && toNeighbour(back, text.slice(back.end, start), BREAK_BACK),
  };
}

function toNeighbour(place: Occurrence, between: string, breaks: RegExp): Neighbour {
  return {
    place,
    distance: between.length,
    isJoined: !breaks.test(between),
    isNear: !SENTENCE_BREAK.test(between),
  };
}

function* spansIn({ starts, ends }: CueIndex, unit: Span): Generator<Span, void, undefined> {
  for (let cue = firstAtLeast(starts, unit.start); cue < starts.length; cue++) {
    const [start = 0, end = 0] = [starts[cue], ends[cue]];
    if (start >= unit.end) return;
    yield { start, end };
  }
}
