import { firstAtLeast, groupBy } from '../../../lib/collections.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import type { Unit } from '../text/units.ts';
import { type CueIndex, findCues } from './cue-index.ts';
import { createNeighbours, FAR, type Neighbour, type Neighbours, type Span } from './neighbours.ts';
import { PAST_AFTER, PAST_BEFORE, PAST_BESIDE, PAST_BETWEEN } from './past-cues.ts';
import { listedWith } from './past-list.ts';
import { isInPastPlace } from './past-places.ts';

/** Words of a text that say that something held before, by where they stand. */
export interface PastCues {
  readonly before: CueIndex;
  readonly after: CueIndex;
  readonly beside: CueIndex;
  readonly between: CueIndex;
}

/** The values of one unit, in order. */
interface OfUnit {
  readonly own: readonly Occurrence[];
  /** Where cues may stand that speak of them. */
  readonly around: Span;
  readonly neighboursOf: (span: Span) => Neighbours;
}

/** A cue, and the number of the value that it speaks of. */
interface Told extends Span {
  readonly number: number;
}

/** Which value a cue speaks of, by its number. */
type Meaning = (neighbours: Neighbours) => number | undefined;

const KINDS = [
  'before',
  'after',
  'beside',
  'between',
] as const satisfies readonly (keyof PastCues)[];

/** Which value is told as what held before. */
const PAST = {
  before: ({ ahead }) => joined(ahead),
  after: ({ back }) => joined(back),
  beside: ({ ahead, back }) => joined(ahead) ?? joined(back) ?? nearer(ahead, back),
  between: ({ ahead, back }) =>
    ahead?.isNear === true && back?.isNear === true ? back.number : undefined,
} as const satisfies Record<keyof PastCues, Meaning>;

/** Which value is told as what holds now. */
const CORRECTED: Meaning = ({ ahead, back }) =>
  joined(ahead) ?? joined(back) ?? nearest(ahead, back)?.number;

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
 * Those places of the values of one thing that are told as what held before: each cue speaks of one of them, and of
 * those listed with it; a column, a heading or a diff, of all in it.
 */
export function placesToldAsPast(
  index: TextIndex,
  cues: PastCues,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const told = valuesByUnit(index, places).flatMap((values) =>
    KINDS.flatMap((kind) =>
      meantIn(values, cues[kind], PAST[kind]).flatMap((one) => listedWith(index, values.own, one)),
    ),
  );
  return new Set([...told, ...places.filter((place) => isInPastPlace(index, place))]);
}

/** Those places of the values of one thing that are told as what has taken the place of others. */
export function placesCorrected(
  index: TextIndex,
  cues: CueIndex,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const told = valuesByUnit(index, places).flatMap((values) =>
    meantIn(values, cues, CORRECTED).flatMap(({ number }) => values.own[number] ?? []),
  );
  return new Set(told);
}

function joined(neighbour: Neighbour | undefined): number | undefined {
  return neighbour?.isJoined === true ? neighbour.number : undefined;
}

function nearer(ahead: Neighbour | undefined, back: Neighbour | undefined): number | undefined {
  const [next, last] = [ahead, back].map((one) => (one?.isNear === true ? one : undefined));
  return nearest(next, last)?.number;
}

function nearest(ahead: Neighbour | undefined, back: Neighbour | undefined): Neighbour | undefined {
  const [distance, other] = [ahead?.distance ?? Infinity, back?.distance ?? Infinity];
  return distance < other ? ahead : back;
}

function valuesByUnit(index: TextIndex, places: readonly Occurrence[]): readonly OfUnit[] {
  const inOrder = places.toSorted((a, b) => a.start - b.start);
  const byUnit = groupBy(inOrder, ({ first }) => index.unitOf[first] ?? 0);
  return [...byUnit].map(([unit, own]) => ({
    own,
    around: reachOf(index.units[unit], own),
    neighboursOf: createNeighbours(index.text, own),
  }));
}

function reachOf(unit: Unit | undefined, own: readonly Occurrence[]): Span {
  const { start, end } = unit ?? { start: 0, end: 0 };
  return {
    start: Math.max(start, (own[0]?.start ?? start) - FAR),
    end: Math.min(end, (own.at(-1)?.end ?? end) + FAR),
  };
}

/** The cues around some values, each with the value that it speaks of. */
function meantIn(
  { around, neighboursOf }: OfUnit,
  cues: CueIndex,
  meaning: Meaning,
): readonly Told[] {
  return [...spansIn(cues, around)].flatMap((span) => {
    const number = meaning(neighboursOf(span));
    return number === undefined ? [] : [{ ...span, number }];
  });
}

function* spansIn({ starts, ends }: CueIndex, around: Span): Generator<Span, void, undefined> {
  for (let cue = firstAtLeast(starts, around.start); cue < starts.length; cue++) {
    const [start = 0, end = 0] = [starts[cue], ends[cue]];
    if (start >= around.end) return;
    yield { start, end };
  }
}
