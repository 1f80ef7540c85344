import { MILD_RULE, STRICT_RULE } from './cues.ts';
import type { Head } from './head.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import { findSentences } from './sentences.ts';
import type { Statements } from './statements.ts';

const RULE_CHARS = 400;
/** Rules of programs that are looked at; they are as good as endless. */
const MOST_NOTED_RULES = 40;
const RULE = new RegExp(`${STRICT_RULE.source}|${MILD_RULE.source}`, 'iu');

/** Rules, limits and wishes of the user, in their own words. */
export function findInstructions(
  head: Head,
  previous: readonly Item[],
  penaltyOf: Statements['penaltyOf'],
): readonly Item[] {
  const earlier = previous.map((carried) => {
    const item = toInstruction(carried.text, BEFORE_HEAD);
    return { ...carried, ...item, weight: Math.max(item.weight, carried.weight) };
  });
  const later = findSentences(head.requests, RULE).map(({ text, at }) => toInstruction(text, at));
  return [...findNotedRules(head), ...[...earlier, ...later].map(lighten)];

  /** A milder rule that is said again and again of something else is a habit of speech. */
  function lighten(item: Item): Item {
    return item.weight >= WEIGHTS.vital
      ? item
      : { ...item, weight: item.weight - penaltyOf(item.text) };
  }
}

/** Strict rules that programs hand on; they yield to those of the user. */
function findNotedRules({ notes }: Head): readonly Item[] {
  return findSentences(notes, STRICT_RULE)
    .slice(0, MOST_NOTED_RULES)
    .map(({ text, at }) => ({
      text: toShortLine(text, RULE_CHARS),
      weight: WEIGHTS.important,
      at,
    }));
}

function toInstruction(sentence: string, at: number): Item {
  const weight = STRICT_RULE.test(sentence) ? WEIGHTS.vital : WEIGHTS.important;
  return { text: toShortLine(sentence, RULE_CHARS), weight, at };
}
