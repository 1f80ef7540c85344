import type { Evidence } from '../events.ts';
import type { EncodingName } from './encodings.ts';

/** The encoding that counts a model's tokens, and whether it is the model's own. */
export interface TokenizerChoice {
  readonly name: EncodingName;
  readonly evidence: Evidence;
}

/** Model families with a published encoding, by the last segment of the model id. */
const PUBLISHED: readonly { readonly model: RegExp; readonly name: EncodingName }[] = [
  { model: /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss-|chatgpt-)/, name: 'o200k_base' },
  { model: /^o[134](?![\w.])/, name: 'o200k_base' },
  { model: /^(?:gpt-4|gpt-4-(?:turbo|32k|vision|\d).*|gpt-3\.?5.*)$/, name: 'cl100k_base' },
];

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
