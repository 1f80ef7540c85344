import type { FillerTools } from './other-fillers.ts';

/** One character over and over. */
export interface CharacterRun {
  readonly character: string;
  readonly times: number;
}

const FEWEST_TIMES = 8;
/** A run weighs about as its beginning, which is quicker to count. */
const MOST_COUNTED_TIMES = 256;
const OTHER_CHARACTERS = 32;

/** The run that a text is; an expression with a back reference fails on megabytes of it. */
export function runOf(text: string): CharacterRun | undefined {
  const [character = ''] = text;
  const times = text.length / character.length;
  const isRun = times >= FEWEST_TIMES && text === character.repeat(times);
  return isRun ? { character, times } : undefined;
}

/** A run of another character that weighs the same, or nearly. */
export function fillRun(
  { character, times }: CharacterRun,
  { classes, count, taken }: FillerTools,
  random: () => number,
): string {
  const weigh = (other: string) => count(other.repeat(Math.min(times, MOST_COUNTED_TIMES)));
  const tokens = weigh(character);
  const shape = classes.shapeOf(character);
  const [best = character] = Array.from({ length: OTHER_CHARACTERS }, () =>
    classes.fill(shape, random),
  )
    .filter((other) => other !== character && !taken.has(other.repeat(times)))
    .toSorted((left, right) => Math.abs(weigh(left) - tokens) - Math.abs(weigh(right) - tokens));
  return best.repeat(times);
}
