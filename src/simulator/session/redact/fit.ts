import { countKept } from './kept-run.ts';
import { type Fill, fillData, type FillerTools } from './other-fillers.ts';
import { LONGEST_WORD } from './weighing.ts';

/** A text on its way to the weight of the unit that it stands for. */
export interface Fitting {
  readonly unit: string;
  readonly text: string;
  /** Tokens that a text has too many, or too few where it is negative, at one of its places. */
  readonly errorOf: (text: string) => number;
  readonly random: () => number;
}

/** A text with what is wrong about it. */
interface Judged {
  readonly text: string;
  readonly error: number;
  /** Tokens that it is off by, and characters that stayed where they were. */
  readonly faults: number;
}

interface Replacing {
  readonly shape: readonly string[];
  readonly isTooHeavy: boolean;
  readonly random: () => number;
}

const FEWEST_STEPS = 40;
const STEPS_PER_TOKEN = 8;
const MOST_STEPS = 400;
/** Characters of the longest piece that is replaced at once. */
const LONGEST_PIECE = 5;

/** A long clause comes to its weight chunk by chunk, each weighed behind the one before. */
export const fillClause: Fill = (unit, tools, random) => {
  const { count } = tools;
  const weigh = (before: string, text: string) => count(before + text) - count(before);
  const characters = Array.from(unit);
  let [filled, before, filledBefore] = ['', '', ''];
  for (let start = 0; start < characters.length; start += LONGEST_WORD) {
    const chunk = characters.slice(start, start + LONGEST_WORD).join('');
    const tokens = weigh(before, chunk);
    const behind = filledBefore;
    const errorOf = (text: string) => weigh(behind, text) - tokens;
    const text = fillData(chunk, tools, random);
    filledBefore = fitText({ unit: chunk, text, errorOf, random }, tools);
    before = chunk;
    filled += filledBefore;
  }
  return filled;
};

/** The text with piece after piece replaced by others of the same shape, until it weighs what it should or nearly. */
export function fitText({ unit, text, errorOf, random }: Fitting, tools: FillerTools): string {
  const { classes, taken, isSpent } = tools;
  const shape = Array.from(classes.shapeOf(unit));
  const judge = (other: string): Judged => {
    const error = errorOf(other);
    return { text: other, error, faults: Math.abs(error) + countKept(unit, other) };
  };
  let best = judge(text);
  const steps = Math.min(MOST_STEPS, FEWEST_STEPS + STEPS_PER_TOKEN * best.faults);
  for (let step = 0; step < steps && best.faults > 0; step++) {
    const replacing = { shape, isTooHeavy: best.error > 0, random };
    const other = judge(replacePiece(best.text, replacing, tools));
    if (other.faults > best.faults || taken.has(other.text) || isSpent(other.text)) continue;
    best = other;
  }
  return best.text;
}

/** A piece becomes a word of one token where the text is too heavy, else as many tokens as it has characters. */
function replacePiece(
  text: string,
  { shape, isTooHeavy, random }: Replacing,
  { pools }: FillerTools,
): string {
  const length = Math.min(shape.length, 1 + Math.floor(random() * LONGEST_PIECE));
  const start = Math.floor(random() * (shape.length - length + 1));
  const end = start + length;
  const tokens = isTooHeavy ? 1 : length;
  const piece = pools.compose({ shape: shape.slice(start, end).join(''), tokens }, random);
  const characters = Array.from(text);
  return [...characters.slice(0, start), piece, ...characters.slice(end)].join('');
}
