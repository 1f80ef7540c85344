/** The sizes of one session, without its texts. */

import type { EncodingName } from '../../tokens/encodings.ts';

/** Whose content it is. `injected`: what a program put before the model. `system`: the system prompt. */
export type ContentKind =
  | 'user'
  | 'assistant'
  | 'reasoning'
  | 'toolCall'
  | 'toolOutput'
  | 'injected'
  | 'summary'
  | 'system';

/** One text, weighed. */
export interface Weight {
  readonly tokens: number;
  readonly characters: number;
  readonly script: Script | undefined;
}

/** A tool call and what came back. */
export interface CallSample {
  readonly tool: string;
  readonly input: Weight;
  /** Absent where nothing came back. */
  readonly output: Weight | undefined;
  readonly isError: boolean;
  /** An earlier output of the session was the same to the letter. */
  readonly isDuplicate: boolean;
}

/** A user message and what came of it. */
export interface TurnSample {
  readonly contentTokens: number;
  readonly toolOutputTokens: number;
  readonly toolCalls: number;
  readonly steps: number;
}

/** Recorded token counts of a step; absent values were not recorded. */
export interface StepSample {
  readonly toolCalls: number;
  /** Characters of its texts, thoughts and arguments, as far as they are shown. */
  readonly writtenCharacters: number;
  readonly contextTokens: number | undefined;
  /** Of the context, read from the prompt cache. */
  readonly cacheReadTokens: number | undefined;
  /** Growth since the step before; absent also behind a compaction. */
  readonly growthTokens: number | undefined;
  /** Only where the recorded count is the final one. */
  readonly outputTokens: number | undefined;
}

/** How long things took, in seconds; what has no time is left out. */
export interface GapSample {
  /** From the last message before a prompt to the prompt. */
  readonly beforeUser: readonly number[];
  /** From a prompt to its first step: the model alone. */
  readonly model: readonly number[];
  /** From a step with calls to the next step: its tools, then the model. */
  readonly toolsAndModel: readonly number[];
}

/** Files that were read or changed again. */
export interface ReuseSample {
  readonly reads: number;
  /** Of files that were read before. */
  readonly repeatedReads: number;
  /** Tokens of content since the file was last touched, for reads of files that were. */
  readonly rereads: readonly number[];
  /** The same for changes. */
  readonly changes: readonly number[];
}

/** A compaction of the recording agent. */
export interface CompactionSample {
  readonly kind: 'full' | 'micro';
  readonly trigger: 'auto' | 'manual' | undefined;
  readonly tokensBefore: number | undefined;
  /** As recorded with it; of a full one, else the context of the first step behind it. */
  readonly tokensAfter: number | undefined;
  readonly summaryTokens: number | undefined;
  /** Since the full compaction before, or the start. */
  readonly stepsBefore: number;
  readonly toolOutputsBefore: number;
}

/** Characters that were added between two steps, and the tokens by which the recorded context grew. */
export interface GrowthSample {
  readonly characters: number;
  readonly tokens: number;
  /** The only tool whose outputs are among them; absent where several are. */
  readonly tool: string | undefined;
  readonly script: Script | undefined;
}

/** The sizes of one session, without its texts. */
export interface SessionSample {
  readonly name: string;
  readonly format: string;
  readonly isSide: boolean;
  readonly model: string | undefined;
  readonly messages: number;
  readonly tokensByKind: Readonly<Record<ContentKind, number>>;
  /** Sizes of the single texts in tokens; those of calls and outputs stand in `calls`. */
  readonly textTokens: Readonly<Record<TextKind, readonly number[]>>;
  readonly calls: readonly CallSample[];
  readonly turns: readonly TurnSample[];
  readonly steps: readonly StepSample[];
  readonly gaps: GapSample;
  readonly reuse: ReuseSample;
  readonly compactions: readonly CompactionSample[];
  readonly growth: readonly GrowthSample[];
}

/** Content that is neither a call nor an output. */
export type TextKind = Exclude<ContentKind, 'toolCall' | 'toolOutput'>;

/** How sizes of texts become tokens, by name: characters divided by four, or a tokenizer's count. */
export type EstimatorName = 'chars4' | EncodingName;

/** Weighs texts. */
export interface Estimator {
  readonly name: EstimatorName;
  /** Tokens of a text; quarters of one are kept, for sums of rounded ones drift. */
  tokensOf(text: string): number;
}

/** A writing system; Chinese, Japanese and Korean are one, for their texts mix characters. */
export type Script = 'latin' | 'cjk' | 'cyrillic' | 'other';

/** The kinds in the order in which they are told. */
export const CONTENT_KINDS: readonly ContentKind[] = [
  'toolOutput',
  'toolCall',
  'reasoning',
  'assistant',
  'user',
  'injected',
  'summary',
  'system',
];

const CHARS_PER_TOKEN = 4;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The rule of thumb that needs no tokenizer. */
export const charsEstimator: Estimator = {
  name: 'chars4',
  tokensOf: (text) => countCharacters(text) / CHARS_PER_TOKEN,
};

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_LETTERS = /[a-z]/gi;
const LETTERS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}+/gu],
  ['cjk', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu],
  ['cyrillic', /\p{Script=Cyrillic}+/gu],
];
const ANY_LETTERS = /\p{L}+/gu;
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;

/** Something for every kind of texts, made from its name. */
export function byTextKind<Value>(
  of: (kind: TextKind) => Value,
): Readonly<Record<TextKind, Value>> {
  return {
    user: of('user'),
    assistant: of('assistant'),
    reasoning: of('reasoning'),
    injected: of('injected'),
    summary: of('summary'),
    system: of('system'),
  };
}

/** Characters of a text as Unicode counts them; one outside of the basic plane is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

/** The script that most letters of a text are of; absent where it has none. */
export function scriptOf(text: string): Script | undefined {
  if (!NON_ASCII.test(text)) return text.search(ASCII_LETTERS) === -1 ? undefined : 'latin';
  const counts = LETTERS.map(([script, letters]) => ({ script, count: countOf(text, letters) }));
  const known = counts.reduce((sum, { count }) => sum + count, 0);
  const other = {
    script: 'other' as const,
    count: Math.max(0, countOf(text, ANY_LETTERS) - known),
  };
  const [most] = [...counts, other].toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? undefined : most.script;
}

/** How many letters stand in all runs of them. */
function countOf(text: string, runs: RegExp): number {
  let count = 0;
  for (const run of text.match(runs) ?? []) count += lengthOf(run);
  return count;
}

/** Letters of two units count once. */
function lengthOf(run: string): number {
  let length = 0;
  for (let index = 0; index < run.length; index += 1) {
    const unit = run.charCodeAt(index);
    if (unit < FIRST_LOW_SURROGATE || unit > LAST_LOW_SURROGATE) length += 1;
  }
  return length;
}
