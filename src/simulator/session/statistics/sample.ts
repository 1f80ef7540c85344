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
  readonly script: Script | undefined;
}

/** A writing system; Chinese, Japanese and Korean are one, because their texts mix characters. */
export type Script = 'latin' | 'cjk' | 'cyrillic' | 'other';

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

const CHARS_PER_TOKEN = 4;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
const NON_ASCII = /[^\0-\x7f]/;
const ASCII_LETTER = /[a-z]/i;
const LETTERS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}+/gu],
  ['cjk', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu],
  ['cyrillic', /\p{Script=Cyrillic}+/gu],
];
const ANY_LETTERS = /\p{L}+/gu;

/** Four characters per token, without a tokenizer. */
export const charsEstimator: Estimator = {
  name: 'chars4',
  tokensOf: (text) => countCharacters(text) / CHARS_PER_TOKEN,
};

/** Makes a record with one value per kind of content, in report order. */
export function byKind<Value>(of: (kind: ContentKind) => Value) {
  const [toolOutput, toolCall] = [of('toolOutput'), of('toolCall')];
  const { reasoning, assistant, user, injected, summary, system } = byTextKind(of);
  return { toolOutput, toolCall, reasoning, assistant, user, injected, summary, system };
}

/** Makes a record with one value per kind of text. */
export function byTextKind<Value>(of: (kind: TextKind) => Value) {
  return {
    user: of('user'),
    assistant: of('assistant'),
    reasoning: of('reasoning'),
    injected: of('injected'),
    summary: of('summary'),
    system: of('system'),
  };
}

/** The sizes of a text. */
export function weigh(text: string, estimator: Estimator): Weight {
  return {
    tokens: estimator.tokensOf(text),
    characters: countCharacters(text),
    script: scriptOf(text),
  };
}

/** Unicode characters of a text; a surrogate pair is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

/** The script of most letters of a text; absent if it has none. */
export function scriptOf(text: string): Script | undefined {
  if (!NON_ASCII.test(text)) return ASCII_LETTER.test(text) ? 'latin' : undefined;
  const countOf = (letters: RegExp) => countCharacters((text.match(letters) ?? []).join(''));
  const counts = LETTERS.map(([script, letters]) => ({ script, count: countOf(letters) }));
  const known = counts.reduce((sum, { count }) => sum + count, 0);
  const other = { script: 'other' as const, count: Math.max(0, countOf(ANY_LETTERS) - known) };
  const [most] = [...counts, other].toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? undefined : most.script;
}
