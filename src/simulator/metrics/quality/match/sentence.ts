import { addToGroup } from '../../../group-by.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import { normaliseValue } from '../text/normalise.ts';
import { wordsOf } from '../text/text-index.ts';
import { hasBan } from './ban-cues.ts';
import type { Matching } from './matching.ts';

/** A value of that many words or more is a sentence, which nobody keeps to the letter. */
const SENTENCE = 8;
/** Share of the words of a sentence that say the same. */
const ENOUGH = 0.7;

/** Whether most words of a value that is a sentence stand in one unit, denied if it is. */
export function hasWords({ index }: Matching, fact: PlantedFact): boolean {
  const words = [...new Set(wordsOf(normaliseValue(fact.value)))];
  if (fact.subject !== '' || words.length < SENTENCE) return false;
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
  return [...found.values()].some((places) => {
    if (places.length < ENOUGH * words.length) return false;
    const start = index.words.starts[Math.min(...places)] ?? 0;
    const end = index.words.ends[Math.max(...places)] ?? start;
    return fact.polarity === 'do' || hasBan(index.text.slice(start, end));
  });
}
