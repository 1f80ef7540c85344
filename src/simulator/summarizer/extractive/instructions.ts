import { MILD_RULE, STRICT_RULE } from './cues.ts';
import type { Head } from './head.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import { findSentences } from './sentences.ts';

const RULE_CHARS = 400;
const RULE = new RegExp(`${STRICT_RULE.source}|${MILD_RULE.source}`, 'iu');

/** Rules, limits and wishes of the user, in their own words. */
export function findInstructions(head: Head, previous: readonly string[]): readonly Item[] {
  const earlier = previous.map((text) => toInstruction(text, BEFORE_HEAD));
  const later = findSentences(head.requests, RULE).map(({ text, at }) => toInstruction(text, at));
  return [...earlier, ...later];
}

function toInstruction(sentence: string, at: number): Item {
  const weight = STRICT_RULE.test(sentence) ? WEIGHTS.vital : WEIGHTS.important;
  return { text: toShortLine(sentence, RULE_CHARS), weight, at };
}
