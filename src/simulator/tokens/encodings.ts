import { Buffer, isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { Evidence } from '../events.ts';
import { named } from '../lib/names.ts';
import { endOfO200k, type Splitting, type TextBytes } from './pieces.ts';

/** How a family of models splits texts, and how many tokens it knows. */
interface Encoding extends Splitting {
  readonly size: number;
}

/** An encoding that `findEncoding` knows. */
export type EncodingName = keyof typeof encodings;

/** The encoding that counts a model's tokens, and whether it is the model's own. */
export interface TokenizerChoice {
  readonly name: EncodingName;
  readonly evidence: Evidence;
}

/** Patterns of `tiktoken_ext/openai_public.py` in tiktoken 0.14.0. js-tiktoken has an older one of `cl100k_base`, which splits white space at the end of a text. */
const CONTRACTION = String.raw`'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])`;
const LETTERS = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const SMALL = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const O200K = String.raw`${LETTERS}*${SMALL}+(?:${CONTRACTION})?|${LETTERS}+${SMALL}*(?:${CONTRACTION})?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const CL100K = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`;
const encodings = {
  o200k_base: { pattern: new RegExp(O200K, 'gu'), endOfAscii: endOfO200k, size: 199_998 },
  cl100k_base: { pattern: new RegExp(CL100K, 'gu'), size: 100_256 },
} satisfies Record<string, Encoding>;

/** Files that `scripts/write-tokens.ts` writes. */
const FOLDER = new URL('../../../catalog/tokens/', import.meta.url);
/** A byte order mark as bytes: a text that begins with one may lose it. */
const MARK = '\xef\xbb\xbf';

/** Model families with a published encoding, by the last segment of the model id. */
const PUBLISHED: readonly { readonly model: RegExp; readonly name: EncodingName }[] = [
  { model: /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss-|chatgpt-)/, name: 'o200k_base' },
  { model: /^o[134](?![\w.])/, name: 'o200k_base' },
  { model: /^(?:gpt-4|gpt-4-(?:turbo|32k|vision|\d).*|gpt-3\.?5.*)$/, name: 'cl100k_base' },
];

/** The encoding of a name. Throws if there is none. */
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

/** The tokenizers of some models, by model name. */
export function tokenizersOf(
  modelIds: Iterable<string>,
): Readonly<Record<string, TokenizerChoice>> {
  return Object.fromEntries([...modelIds].map((id) => [id, tokenizerOf(id)]));
}

/** Lengths of the tokens of an encoding in the order of their ranks, and their bytes one after another. */
export function readTokenBytes(name: string): Readonly<Record<'lengths' | 'bytes', TextBytes>> {
  const { size } = findEncoding(name);
  const file = readFileSync(new URL(`${name}.bin`, FOLDER));
  return { lengths: file.subarray(0, size), bytes: file.subarray(size) };
}

/** The tokens of an encoding in the order of their ranks, by their bytes written as one character each. */
export function readTokens(name: string): readonly string[] {
  const { lengths, bytes } = readTokenBytes(name);
  let start = 0;
  return Array.from(lengths, (length) => {
    start += length;
    return bytes.toString('latin1', start - length, start);
  });
}

/** The tokens of an encoding that are whole texts, in the order of their ranks. */
export function readVocabulary(name: string): readonly string[] {
  return readTokens(name)
    .filter((token) => !token.startsWith(MARK))
    .map((token) => Buffer.from(token, 'latin1'))
    .filter(isUtf8)
    .map(String);
}
