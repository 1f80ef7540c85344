import { copyOf } from '../../lib/text.ts';
import { segmentsOf } from './units.ts';

/** The words of the sessions, of which no filler is made. */
export interface OwnWords {
  add(unit: string): void;
  /** Whether a text is one of them, or holds one that is too rare to stand there by chance; in whatever case. */
  areIn(text: string): boolean;
}

/** A shorter word is in every other text. */
const SHORTEST = 4;
/** A shorter word stands inside of others by chance. */
const SHORTEST_INSIDE = 6;
/** Of a longer one, the beginning is enough. */
const LONGEST = 16;

/** No words as yet; those that are common may stand inside of longer ones. */
export function createOwnWords(isCommon: (word: string) => boolean): OwnWords {
  const words = new Set<string>();
  const rareWords = new Set<string>();
  const beginnings = new Set<string>();
  const addWord = (word: string): void => {
    if (word.length >= SHORTEST && !words.has(word)) words.add(copyOf(word));
  };
  const addRare = (word: string): void => {
    if (word.length < SHORTEST_INSIDE) return;
    rareWords.add(copyOf(word.slice(0, LONGEST)));
    beginnings.add(copyOf(word.slice(0, SHORTEST_INSIDE)));
  };
  const startsAt = (text: string, start: number): boolean => {
    if (!beginnings.has(text.slice(start, start + SHORTEST_INSIDE))) return false;
    const last = Math.min(LONGEST, text.length - start);
    for (let length = SHORTEST_INSIDE; length <= last; length++) {
      if (rareWords.has(text.slice(start, start + length))) return true;
    }
    return false;
  };

  return {
    add: (unit) => {
      const lower = unit.toLowerCase();
      addWord(lower);
      if (!isCommon(unit) && !isCommon(lower)) addRare(lower);
      const segments = segmentsOf(unit);
      if (segments.length > 1) for (const segment of segments) addWord(segment.toLowerCase());
    },
    areIn: (text) => {
      const lower = text.toLowerCase();
      if (words.has(lower)) return true;
      for (let start = 0; start + SHORTEST_INSIDE <= lower.length; start++) {
        if (startsAt(lower, start)) return true;
      }
      return false;
    },
  };
}
