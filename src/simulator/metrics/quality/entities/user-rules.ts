import { USER_RULE } from '../../../summarizer/extractive/user-rules.ts';

/** A sentence of a user, and where it starts. */
interface UserRule {
  readonly sentence: string;
  readonly start: number;
}

/** A sentence, up to its end or that of the line. */
const SENTENCE = /[^\n。！？]+?(?:[.!?](?=\s|$)|[。！？]|$|(?=\n))/gu;
const SHORTEST = 6;
const LONGEST = 300;

/** Sentences that say what must or must not be done. */
export function rulesIn(text: string): readonly UserRule[] {
  return [...text.matchAll(SENTENCE)].flatMap(({ index, 0: found }) => {
    const sentence = found.trim();
    const fits = sentence.length >= SHORTEST && sentence.length <= LONGEST;
    return fits && USER_RULE.test(sentence) ? [{ sentence, start: index }] : [];
  });
}
