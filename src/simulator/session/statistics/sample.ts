/** Sizes of texts. */

import type { EncodingName } from '../../tokens/encodings.ts';

/** Names of estimators: characters divided by four, or a tokenizer. */
export type EstimatorName = 'chars4' | EncodingName;

/** Estimates tokens of texts. */
export interface Estimator {
  readonly name: EstimatorName;
  tokensOf(text: string): number;
}

/** A kind of content. `injected`: written by a program. `system`: the system prompt. */
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** Kinds of content other than calls and outputs. */
export type TextKind = Exclude<ContentKind, 'toolCall' | 'toolOutput'>;

/** Sizes of one text. */
export interface Weight {
  readonly tokens: number;
  readonly characters: number;
}

/** Kinds of content in report order. */
export const CONTENT_KINDS = [
  'toolOutput',
  'toolCall',
  'reasoning',
  'assistant',
  'user',
  'injected',
  'summary',
  'system',
] as const;

const TEXT_KINDS: readonly TextKind[] = [
  'user',
  'assistant',
  'reasoning',
  'injected',
  'summary',
  'system',
];
const CHARS_PER_TOKEN = 4;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Four characters per token, without a tokenizer. */
export const charsEstimator: Estimator = {
  name: 'chars4',
  tokensOf: (text) => countCharacters(text) / CHARS_PER_TOKEN,
};

/** Makes a record with one value per kind of content, in report order. */
export function byKind<Value>(of: (kind: ContentKind) => Value) {
  return recordOf(CONTENT_KINDS, of);
}

/** Makes a record with one value per kind of text. */
export function byTextKind<Value>(of: (kind: TextKind) => Value) {
  return recordOf(TEXT_KINDS, of);
}

/** The sizes of a text. */
export function weigh(text: string, estimator: Estimator): Weight {
  return { tokens: estimator.tokensOf(text), characters: countCharacters(text) };
}

/** Unicode characters of a text; a surrogate pair is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

function recordOf<Kind extends string, Value>(kinds: readonly Kind[], of: (kind: Kind) => Value) {
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Value>;
}
