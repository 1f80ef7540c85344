import { addToGroup } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import { normaliseValue } from '../text/normalise.ts';
import { type TextIndex, wordsOf } from '../text/text-index.ts';
import { hasBan } from './ban-cues.ts';
import { CLAUSE_BREAK } from './denial-cues.ts';
import type { Matching } from './matching.ts';

/** A value of that many words or more is a sentence, which nobody keeps to the letter. */
const SENTENCE = 8;
/** Share of the words of a sentence that say the same. */
const ENOUGH = 0.7;

/** What a text says of a value that is a sentence: that, the opposite, or nothing. */
export type SaidInWords = 'kept' | 'reversed' | undefined;

/** What is said where most words of a value that is a sentence stand in one unit; denied if it is, it is kept. */
export function saidInWords({ index }: Matching, fact: PlantedFact): SaidInWords {
  const words = [...new Set(wordsOf(normaliseValue(fact.value)))];
  if (fact.subject !== '' || words.length < SENTENCE) return undefined;
  const found = new Map<number, number[]>();
  for (const word of words) {
    let lastUnit = -1;
    for (const place of index.placesOf(word)) {
      const unit = index.unitOf[place] ?? 0;
      if (unit === lastUnit) continue;
      lastUnit = unit;
      addToGroup(found, unit, place);
    }
  }
  const told = [...found.values()].filter((places) => places.length >= ENOUGH * words.length);
  if (told.length === 0) return undefined;
  const isSaidSo = (places: readonly number[]) =>
    hasBan(clauseOf(index, places)) === (fact.polarity === 'dont');
  return told.some(isSaidSo) ? 'kept' : 'reversed';
}

/** From the start of the clause of the first word to the last one: a denial may stand before it. */
function clauseOf({ text, units, unitOf, words }: TextIndex, places: readonly number[]): string {
  const first = Math.min(...places);
  const start = words.starts[first] ?? 0;
  const before = text.slice(units[unitOf[first] ?? 0]?.start ?? start, start);
  const lead = before.split(CLAUSE_BREAK).at(-1) ?? '';
  return lead + text.slice(start, words.ends[Math.max(...places)] ?? start);
}
