import type { EncodingName } from '../../tokens/encodings.ts';

/** How sizes of texts become tokens, by name: characters divided by four, or a tokenizer's count. */
export type EstimatorName = 'chars4' | EncodingName;

/** Weighs texts. */
export interface Estimator {
  readonly name: EstimatorName;
  /** Tokens of a text; quarters of one are kept, for sums of rounded ones drift. */
  tokensOf(text: string): number;
}

const CHARS_PER_TOKEN = 4;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The rule of thumb that needs no tokenizer. */
export const charsEstimator: Estimator = {
  name: 'chars4',
  tokensOf: (text) => countCharacters(text) / CHARS_PER_TOKEN,
};

/** Characters of a text as Unicode counts them; one outside of the basic plane is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}
