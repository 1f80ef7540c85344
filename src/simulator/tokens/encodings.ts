import {
  CL100K_TOKEN_SPLIT_REGEX,
  O200K_TOKEN_SPLIT_REGEX,
} from 'gpt-tokenizer/encodingParams/constants';
import type { Evidence } from '../events.ts';
import { named } from '../lib/names.ts';

/** How a family of models splits texts, and what its tokens are. */
interface Encoding {
  /** Splits a text into the pieces that merge on their own. */
  readonly pattern: RegExp;
  /** Tokens in the order of their ranks; those that are no whole text as bytes. */
  readonly loadTokens: () => Promise<readonly (string | readonly number[])[]>;
}

/** An encoding that `findEncoding` knows. */
export type EncodingName = keyof typeof encodings;

/** The encoding that counts a model's tokens, and whether it is the model's own. */
export interface TokenizerChoice {
  readonly name: EncodingName;
  readonly evidence: Evidence;
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

/** Model families with a published encoding, by the last segment of the model id. */
const PUBLISHED: readonly { readonly model: RegExp; readonly name: EncodingName }[] = [
  { model: /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss-|chatgpt-)/, name: 'o200k_base' },
  { model: /^o[134](?![\w.])/, name: 'o200k_base' },
  { model: /^(?:gpt-4|gpt-4-(?:turbo|32k|vision|\d).*|gpt-3\.?5.*)$/, name: 'cl100k_base' },
];

/** The encoding of that name. Throws where there is none. */
export function findEncoding(name: string): Encoding {
  return named('tokenizer', encodings, name);
}

/** The encoding for a model named `provider/id`: its own, or `o200k_base` as a stand-in. */
export function tokenizerOf(modelId: string): TokenizerChoice {
  const model = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  const published = PUBLISHED.find((family) => family.model.test(model));
  return published
    ? { name: published.name, evidence: 'measured' }
    : { name: 'o200k_base', evidence: 'estimated' };
}

/** What counts the tokens of some models, by their names. */
export function tokenizersOf(
  modelIds: Iterable<string>,
): Readonly<Record<string, TokenizerChoice>> {
  return Object.fromEntries([...modelIds].map((id) => [id, tokenizerOf(id)]));
}

/** The tokens of an encoding that are whole texts, in the order of their ranks. */
export async function loadVocabulary(name: string): Promise<readonly string[]> {
  const tokens = await findEncoding(name).loadTokens();
  return tokens.filter((token) => typeof token === 'string');
}
