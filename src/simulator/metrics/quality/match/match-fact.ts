import type { PlantedFact } from '../../../session/facts.ts';
import { normaliseValue } from '../text/normalise.ts';
import { variantsOf } from '../text/other-forms.ts';
import { findValue, type Occurrence, type TextIndex, wordsOf } from '../text/text-index.ts';
import type { Matching } from './matching.ts';
import { isBound } from './binding.ts';
import { saidInWords } from './sentence.ts';

/**
 * How much of a fact a text holds: 3, its value to the letter; 2, its value in another form; 1, only its subject or
 * a part of the value, or the value of who knows what; 0, nothing.
 */
export type MatchLevel = 0 | 1 | 2 | 3;

/** What a text says of a fact. */
export interface FactMatch {
  readonly fact: PlantedFact;
  readonly level: MatchLevel;
  /** The value stands with its subject, and is said to hold, or not to, as it should. */
  readonly isKept: boolean;
  /** The value stands with its subject, but is only said to hold where it should not, or the other way round. */
  readonly isFlipped: boolean;
  /** Where the value stands with its subject. */
  readonly bound: readonly Occurrence[];
  /** Where the value stands at all. */
  readonly occurrences: readonly Occurrence[];
}

/** Share of the letters of a value whose words are a trace of it. */
const TRACE = 0.5;

/** What a text says of a fact. */
export function matchFact(matching: Matching, fact: PlantedFact): FactMatch {
  const { index } = matching;
  const value = normaliseValue(fact.value);
  const exact = value === '' ? [] : findValue(index, value);
  const others = otherForms(fact, value)
    .flatMap((form) => findValue(index, form))
    .filter((place) => !exact.some(({ start, end }) => start <= place.start && place.end <= end));
  const occurrences = [...exact, ...others];
  const bound = occurrences.filter((place) => isBound(matching, fact, place));
  const right = bound.filter((place) => matching.isSaidRight(fact, place));
  const inWords = bound.length === 0 ? saidInWords(matching, fact) : undefined;
  const isKept = right.length > 0 || inWords === 'kept';
  return {
    fact,
    level: isKept ? keptLevel(right, exact) : leftLevel(matching, fact, occurrences),
    isKept,
    isFlipped: inWords === 'reversed' || (bound.length > 0 && right.length === 0),
    bound,
    occurrences,
  };
}

/** What a text says of a fact that it only tells as what held before; to be denied is something else. */
export function asReplaced(match: FactMatch): FactMatch {
  return match.isKept && match.bound.length > 0 ? { ...match, isKept: false, level: 1 } : match;
}

function otherForms({ aliases = [] }: PlantedFact, value: string): readonly string[] {
  const forms = [...aliases.map(normaliseValue), ...variantsOf(value)];
  return [...new Set(forms)].filter((form) => form !== value && form !== '');
}

function keptLevel(right: readonly Occurrence[], exact: readonly Occurrence[]): MatchLevel {
  return right.some((place) => exact.includes(place) && !place.isPrefixed) ? 3 : 2;
}

function leftLevel(
  matching: Matching,
  fact: PlantedFact,
  occurrences: readonly Occurrence[],
): MatchLevel {
  const isThere = occurrences.length > 0 || matching.anchorsOf(fact.subject).length > 0;
  return isThere || hasTrace(matching.index, fact) ? 1 : 0;
}

/** Whether words that make half of the value stand in one unit. */
function hasTrace({ placesOf, unitOf }: TextIndex, { value }: PlantedFact): boolean {
  const words = [...new Set(wordsOf(normaliseValue(value)))];
  const enough = TRACE * words.reduce((sum, word) => sum + word.length, 0);
  const found = new Map<number, number>();
  for (const word of words) {
    const units = new Set(placesOf(word).map((place) => unitOf[place] ?? 0));
    for (const unit of units) found.set(unit, (found.get(unit) ?? 0) + word.length);
  }
  return [...found.values()].some((characters) => characters >= enough);
}
