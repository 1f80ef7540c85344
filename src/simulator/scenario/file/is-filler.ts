import { FIRST_WORDS, NEXT_WORDS } from './filler.ts';
import { SIZED_WORDS } from './sized-filler.ts';

const ALL_WORDS = [...SIZED_WORDS.flat(), ...FIRST_WORDS, ...NEXT_WORDS].join('|');
/** What filler continues with: words, and digits with letters behind them. */
const FILLER = new RegExp(String.raw`^(?:${ALL_WORDS})(?: (?:${ALL_WORDS})|\d[a-z]?)*$`);

/** Whether a text is filler, of which only the size says something. */
export function isFiller(text: string): boolean {
  return FILLER.test(text);
}
