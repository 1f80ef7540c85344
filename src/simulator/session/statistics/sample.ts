/** Sizes of sessions, without their texts. */

import type { EncodingName } from '../../tokens/encodings.ts';

/** Kinds of content. `injected`: written by a program. `system`: the system prompt. */
export type ContentKind =
  | 'user'
  | 'assistant'
  | 'reasoning'
  | 'toolCall'
  | 'toolOutput'
  | 'injected'
  | 'summary'
  | 'system';

/** Sizes of one text. */
export interface Weight {
  readonly tokens: number;
  readonly characters: number;
  readonly script: Script | undefined;
}

/** A tool call with its output. */
export interface CallSample {
  readonly tool: string;
  readonly input: Weight;
  /** Absent if there was none. */
  readonly output: Weight | undefined;
  readonly isError: boolean;
  /** An earlier output of the session was identical. */
  readonly isDuplicate: boolean;
}

/** A user message with the steps that answer it. */
export interface TurnSample {
  readonly contentTokens: number;
  readonly toolOutputTokens: number;
  readonly toolCalls: number;
  readonly steps: number;
}

/** Recorded token counts of a step; absent values were not recorded. */
export interface StepSample {
  readonly toolCalls: number;
  /** Visible characters of its texts, reasoning and arguments. */
  readonly writtenCharacters: number;
  readonly contextTokens: number | undefined;
  /** Part of the context read from the prompt cache. */
  readonly cacheReadTokens: number | undefined;
  /** Growth since the previous step; absent behind a compaction. */
  readonly growthTokens: number | undefined;
  /** Only if the recorded count is final. */
  readonly outputTokens: number | undefined;
}

/** Durations in seconds; unknown ones are left out. */
export interface GapSample {
  /** From the last message before a prompt to the prompt. */
  readonly beforeUser: readonly number[];
  /** From a prompt to its first step: the model alone. */
  readonly model: readonly number[];
  /** From a step with calls to the next step: its tools, then the model. */
  readonly toolsAndModel: readonly number[];
}

/** Repeated reads and changes of files. */
interface ReuseSample {
  readonly reads: number;
  /** Reads of files that were read before. */
  readonly repeatedReads: number;
  /** Content tokens since the last touch, per repeated read. */
  readonly rereads: readonly number[];
  /** Content tokens since the last touch, per repeated change. */
  readonly changes: readonly number[];
}

/** A compaction of the recording agent. */
export interface CompactionSample {
  readonly kind: 'full' | 'micro';
  readonly trigger: 'auto' | 'manual' | undefined;
  readonly tokensBefore: number | undefined;
  /** As recorded; for a full one otherwise the context of the next step. */
  readonly tokensAfter: number | undefined;
  readonly summaryTokens: number | undefined;
  /** Since the previous full compaction, or the start. */
  readonly stepsBefore: number;
  readonly toolOutputsBefore: number;
}

/** Characters added between two steps, and the growth of the recorded context in tokens. */
export interface GrowthSample {
  readonly characters: number;
  readonly tokens: number;
  /** The only tool among the outputs; absent if there are several. */
  readonly tool: string | undefined;
  readonly script: Script | undefined;
}

/** Sizes of one session, without its texts. */
export interface SessionSample {
  readonly name: string;
  readonly format: string;
  readonly isSide: boolean;
  readonly model: string | undefined;
  readonly messages: number;
  readonly tokensByKind: Readonly<Record<ContentKind, number>>;
  /** Sizes of single texts in tokens; calls and outputs are in `calls`. */
  readonly textTokens: Readonly<Record<TextKind, readonly number[]>>;
  readonly calls: readonly CallSample[];
  readonly turns: readonly TurnSample[];
  readonly steps: readonly StepSample[];
  readonly gaps: GapSample;
  readonly reuse: ReuseSample;
  readonly compactions: readonly CompactionSample[];
  readonly growth: readonly GrowthSample[];
}

/** Kinds of content other than calls and outputs. */
export type TextKind = Exclude<ContentKind, 'toolCall' | 'toolOutput'>;

/** Names of estimators: characters divided by four, or a tokenizer. */
export type EstimatorName = 'chars4' | EncodingName;

/** Estimates tokens of texts. */
export interface Estimator {
  readonly name: EstimatorName;
  /** Tokens of a text, with fractions, because sums of rounded counts drift. */
  tokensOf(text: string): number;
}

/** A writing system; Chinese, Japanese and Korean are one, because their texts mix characters. */
export type Script = 'latin' | 'cjk' | 'cyrillic' | 'other';

/** Kinds of content in report order. */
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

/** Four characters per token, without a tokenizer. */
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

/** Makes a record with one value per kind of text. */
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

/** Unicode characters of a text; a surrogate pair is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

/** The script of most letters of a text; absent if it has none. */
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

function countOf(text: string, runs: RegExp): number {
  let count = 0;
  for (const run of text.match(runs) ?? []) count += lengthOf(run);
  return count;
}

/** The length in letters; a surrogate pair is one. */
function lengthOf(run: string): number {
  let length = 0;
  for (let index = 0; index < run.length; index += 1) {
    const unit = run.charCodeAt(index);
    if (unit < FIRST_LOW_SURROGATE || unit > LAST_LOW_SURROGATE) length += 1;
  }
  return length;
}
