import { readFileSync } from 'node:fs';
import {
  CL100K_TOKEN_SPLIT_REGEX,
  O200K_TOKEN_SPLIT_REGEX,
} from 'gpt-tokenizer/encodingParams/constants';
import { named } from '../names.ts';

/** How a family of models splits texts, and how many tokens it knows. */
interface Encoding {
  /** Splits a text into the pieces that merge on their own. */
  readonly pattern: RegExp;
  readonly size: number;
}

const encodings = {
  o200k_base: { pattern: O200K_TOKEN_SPLIT_REGEX, size: 199_998 },
  cl100k_base: { pattern: CL100K_TOKEN_SPLIT_REGEX, size: 100_256 },
} satisfies Record<string, Encoding>;

/** Files that `scripts/write-tokens.ts` writes. */
const FOLDER = new URL('../../../catalog/tokens/', import.meta.url);

/** An encoding that `findEncoding` knows. */
export type EncodingName = keyof typeof encodings;

/** The encoding of that name. Throws where there is none. */
export function findEncoding(name: string): Encoding {
  return named('tokenizer', encodings, name);
}

/** The tokens of a known encoding in the order of their ranks, by their bytes written as one character each. */
export function readTokens(name: string): readonly string[] {
  const { size } = findEncoding(name);
  const file = readFileSync(new URL(`${name}.bin`, FOLDER));
  const bytes = file.toString('latin1', size);
  let start = 0;
  return Array.from(file.subarray(0, size), (length) => {
    start += length;
    return bytes.slice(start - length, start);
  });
}
