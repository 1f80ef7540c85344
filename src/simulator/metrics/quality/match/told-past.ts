import { firstAtLeast } from '../../../first-at-least.ts';
import { groupBy } from '../../../group-by.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { type CueIndex, findCues } from './cue-index.ts';
import { listedWith } from './past-list.ts';
import { createNeighbours, FAR, type Neighbour, type Neighbours, type Span } from './neighbours.ts';
import { PAST_AFTER, PAST_BEFORE, PAST_BESIDE, PAST_BETWEEN } from './past-cues.ts';

/** Words of a text that say that something held before, by where they stand. */
export interface PastCues {
  readonly before: CueIndex;
  readonly after: CueIndex;
  readonly beside: CueIndex;
  readonly between: CueIndex;
}

/** The values of one unit, in order. */
interface OfUnit {
  readonly unit: number;
  readonly own: readonly Occurrence[];
}

const KINDS = [
  'before',
  'after',
  'beside',
  'between',
] as const satisfies readonly (keyof PastCues)[];

/** Which value a cue speaks of, by its number. */
const MEANT = {
  before: ({ ahead }) => joined(ahead),
  after: ({ back }) => joined(back),
  beside: ({ ahead, back }) => joined(ahead) ?? joined(back) ?? nearer(ahead, back),
  between: ({ ahead, back }) =>
    ahead?.isNear === true && back?.isNear === true ? back.number : undefined,
} as const satisfies Record<keyof PastCues, (neighbours: Neighbours) => number | undefined>;

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
 * those listed with it.
 */
export function placesToldAsPast(
  index: TextIndex,
  cues: PastCues,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const inOrder = places.toSorted((a, b) => a.start - b.start);
  const byUnit = groupBy(inOrder, ({ first }) => index.unitOf[first] ?? 0);
  return new Set([...byUnit].flatMap(([unit, own]) => toldInUnit(index, cues, { unit, own })));
}

function joined(neighbour: Neighbour | undefined): number | undefined {
  return neighbour?.isJoined === true ? neighbour.number : undefined;
}

function nearer(ahead: Neighbour | undefined, back: Neighbour | undefined): number | undefined {
  const near = [back, ahead].flatMap((one) => (one?.isNear === true ? one : []));
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.number;
}

function toldInUnit(
  index: TextIndex,
  cues: PastCues,
  { unit, own }: OfUnit,
): readonly Occurrence[] {
  const around = reachOf(index, { unit, own });
  const neighboursOf = createNeighbours(index.text, own);
  return KINDS.flatMap((kind) =>
    [...spansIn(cues[kind], around)].flatMap((span) => {
      const number = MEANT[kind](neighboursOf(span));
      return number === undefined ? [] : listedWith(index, own, { ...span, number });
    }),
  );
}

/** Where cues may stand that speak of some values. */
function reachOf({ units }: TextIndex, { unit, own }: OfUnit): Span {
  const { start, end } = units[unit] ?? { start: 0, end: 0 };
  return {
    start: Math.max(start, (own[0]?.start ?? start) - FAR),
    end: Math.min(end, (own.at(-1)?.end ?? end) + FAR),
  };
}

function* spansIn({ starts, ends }: CueIndex, around: Span): Generator<Span, void, undefined> {
  for (let cue = firstAtLeast(starts, around.start); cue < starts.length; cue++) {
    const [start = 0, end = 0] = [starts[cue], ends[cue]];
    if (start >= around.end) return;
    yield { start, end };
  }
}
