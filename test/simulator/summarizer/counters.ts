import type { SummarizerTools } from '../../../src/simulator/summarizer/summarizer.ts';

/** Ways to count that differ in what a character weighs and in whether parts add up to the whole. */
export const counters: Readonly<Record<string, (text: string) => number>> = {
  characters: (text) => text.length,
  quarters: (text) => Math.ceil(text.length / 4),
  words: (text) => text.match(/[^\s\p{P}]+|\p{P}/gu)?.length ?? 0,
  // Parts counted alone come out lower than the whole.
  'growing characters': (text) => Math.ceil(text.length ** 1.1),
};

/** Tools with a counter, a character being a quarter of a token unless told otherwise. */
export function toolsWith(
  countTokens = (text: string) => Math.ceil(text.length / 4),
): SummarizerTools {
  return { countTokens, random: () => 0.5 };
}
