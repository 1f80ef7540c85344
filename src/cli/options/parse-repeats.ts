import { parseWhole } from './parse-whole.ts';

/** The most that anything is run again; more of it is most likely a slip. */
const MOST_REPEATS = 1_000;

/** How often something is run, by an option's text. Throws `HarnessError` where that is no number of times, or too many. */
export function parseRepeats(option: string, text: string, least: number = 1): number {
  return parseWhole(option, text, { least, most: MOST_REPEATS });
}
