import {
  CL100K_TOKEN_SPLIT_REGEX,
  O200K_TOKEN_SPLIT_REGEX,
} from 'gpt-tokenizer/encodingParams/constants';
import { named } from '../lib/names.ts';

/** How a family of models splits texts, and what its tokens are. */
interface Encoding {
  /** Splits a text into the pieces that merge on their own. */
  readonly pattern: RegExp;
  /** Tokens in the order of their ranks; those that are no whole text as bytes. */
  readonly loadTokens: () => Promise<readonly (string | readonly number[])[]>;
}

const encodings = {
  o200k_base: {
    pattern: O200K_TOKEN_SPLIT_REGEX,
    loadTokens: async () => (await import('gpt-tokenizer/bpeRanks/o200k_base')).default,
  },
  cl100k_base: {
    pattern: CL100K_TOKEN_SPLIT_REGEX,
    loadTokens: async () => (await import('gpt-tokenizer/bpeRanks/cl100k_base')).default,
  },
} satisfies Record<string, Encoding>;

/** An encoding that `findEncoding` knows. */
export type EncodingName = keyof typeof encodings;

/** The encoding of that name. Throws where there is none. */
export function findEncoding(name: string): Encoding {
  return named('tokenizer', encodings, name);
}
