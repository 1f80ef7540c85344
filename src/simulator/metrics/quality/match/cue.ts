import { anyWords } from '../../../lib/text.ts';

/** Words that say something about what stands near them. Words in Latin letters are matched whole. */
export function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  return new RegExp(anyWords(english, others), 'gu');
}

/** Matches what any of some cues match; where several begin at one place, what the first of them does. */
export function either(...cues: readonly RegExp[]): RegExp {
  return new RegExp(cues.map(({ source }) => source).join('|'), 'gu');
}
