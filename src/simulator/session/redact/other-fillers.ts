import type { Classes } from './character-class.ts';
import { countKept } from './kept-run.ts';
import type { RepeatedCharacter } from './repeated-character.ts';
import { segmentsOf } from './units.ts';
import type { WordPools } from './word-pools.ts';

/** What fillers that are no words are made with. */
export interface FillerTools {
  readonly pools: WordPools;
  readonly classes: Classes;
  readonly count: (text: string) => number;
  /** What stands for some unit already, or is never to. */
  readonly taken: ReadonlySet<string>;
  /** Whether a text can never be filler, because a session says it. */
  readonly isSpent: (text: string) => boolean;
}

/** Makes a filler of the shape of a unit. */
export type Fill = (unit: string, tools: FillerTools, random: () => number) => string;

const PIECE_LENGTH = 16;
const PIECE_TRIES = 3;
/** Tries at whatever a shape allows, before a unit whose shape is used up stays. */
const MOST_FILLS = 2_000;
/** A repeated character weighs about as its first places, which are quicker to count. */
const MOST_WEIGHED_TIMES = 256;
const OTHER_CHARACTERS = 32;

/** Data as data that weighs about the same piece by piece. */
export const fillData: Fill = (unit, { pools, classes, count }, random) => {
  const fillPiece = (piece: string): string => {
    const weighed = { shape: classes.shapeOf(piece), tokens: count(piece) };
    let filler = '';
    for (let tries = 0; tries < PIECE_TRIES; tries++) {
      filler = pools.compose(weighed, random);
      if (count(filler) === weighed.tokens && countKept(piece, filler) === 0) break;
    }
    return filler;
  };
  return segmentsOf(unit).flatMap(piecesOf).map(fillPiece).join('');
};

/** Whatever is left of a shape that has no word; a shape that is used up keeps what it has. */
export const fillFreely: Fill = (unit, { classes, taken, isSpent }, random) => {
  const shape = classes.shapeOf(unit);
  let spent: string | undefined;
  for (let fills = 0; fills < MOST_FILLS; fills++) {
    const filler = classes.fill(shape, random);
    if (filler === unit || taken.has(filler)) continue;
    if (!isSpent(filler)) return filler;
    spent ??= filler;
  }
  return spent ?? unit;
};

/** One character over and over as another one as often that weighs the same, or nearly. */
export function fillRepeated(
  { character, times }: RepeatedCharacter,
  { classes, count, taken }: FillerTools,
  random: () => number,
): string {
  const weigh = (other: string) => count(other.repeat(Math.min(times, MOST_WEIGHED_TIMES)));
  const tokens = weigh(character);
  const shape = classes.shapeOf(character);
  const [best = character] = Array.from({ length: OTHER_CHARACTERS }, () =>
    classes.fill(shape, random),
  )
    .filter((other) => other !== character && !taken.has(other.repeat(times)))
    .toSorted((left, right) => Math.abs(weigh(left) - tokens) - Math.abs(weigh(right) - tokens));
  return best.repeat(times);
}

function piecesOf(segment: string): readonly string[] {
  const characters = Array.from(segment);
  return Array.from({ length: Math.ceil(characters.length / PIECE_LENGTH) }, (_, index) =>
    characters.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join(''),
  );
}
