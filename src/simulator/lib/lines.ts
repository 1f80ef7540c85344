import { sum } from './collections.ts';

/** Marks that end a sentence, what closes with it, and the white space behind; a stop needs white space. */
const END =
  /[.!?。！？．]+["'()[\]{}«»“”‘’「」『』（）【】《》〈〉]*(?:\s+|(?<=[^!-~]))|[\r\n\u2028\u2029]\s*/g;
const CONTINUATION = /[,:;\-–—、，：；.!?。！？．]/;
/** The first letter behind a full stop is a small one: the stop is of a shortened word, or of a number. */
const SMALL_NEXT = /[^\p{L}\r\n.!?。！？．]{0,80}\p{Ll}/uy;
const FULL_STOP = /[.．][^.．!?。！？]*$/;
const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const TERMINAL_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[@-Z\\\\-_])`,
  'g',
);
/** White space, control characters, halves of surrogate pairs, and marks that turn the writing direction. */
const BLANK = /[\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;
const LEADING_MARK = /^(?:[-*+•>#]+\s+|\d{1,3}[.)]\s+)+/;
const DELIMITER = /[\s"'`“”‘’,;<>|，。、；：！？「」『』（）《》【】…]/u;
const CONTINUATION_OF_PLAIN_TEXT = /^[\p{M}\p{Cs}\u200d]/u;
const RAW_PER_CHAR = 4;

/** The sentences of a text, each with the white space behind it; a stop directly before a word ends none, as in `App.Test.tsx`. */
export function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(END)) {
    const end = index + mark.length;
    if (end === text.length || goesOn(text, end, mark)) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** The text on one line, without terminal sequences and control characters, and without a list mark. */
export function toLine(text: string): string {
  const plain = text.replace(TERMINAL_SEQUENCE, '').replace(BLANK, ' ').trim();
  return plain.replace(LEADING_MARK, '');
}

/** The beginning of a text as one line of at most that many characters. */
export function toShortLine(text: string, maxChars: number): string {
  return clipLine(toLine(text.trimStart().slice(0, maxChars * RAW_PER_CHAR)), maxChars);
}

/** A line of at most that many characters, cut after a sentence or between words; empty where a path fills all of it. */
export function clipLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  if (maxChars <= 0) return '';
  const end = sentenceEnd(line, maxChars - 1) ?? cutIndex(line, maxChars - 1);
  return end <= 0 ? '' : `${line.slice(0, end).trimEnd()}…`;
}

function goesOn(text: string, end: number, mark: string): boolean {
  if (/[\r\n\u2028\u2029]/.test(mark)) return false;
  if (CONTINUATION.test(text.charAt(end))) return true;
  SMALL_NEXT.lastIndex = end;
  return FULL_STOP.test(mark) && SMALL_NEXT.test(text);
}

function sentenceEnd(line: string, maxIndex: number): number | undefined {
  const lengths = splitSentences(line.slice(0, maxIndex)).map((sentence) => sentence.length);
  const end = sum(lengths.slice(0, -1));
  return end >= maxIndex / 2 ? end : undefined;
}

/** The last place up to `maxIndex` where a line may be cut: not inside a path, a word or a character. */
function cutIndex(line: string, maxIndex: number): number {
  const run = runAround(line, maxIndex);
  if (/[/\\]/.test(line.slice(run.start, run.end))) return run.start;
  let index = maxIndex;
  while (index > run.start && !isBetweenWords(line, index)) index -= 1;
  return index > 0 ? index : characterStart(line, maxIndex);
}

function runAround(line: string, index: number) {
  let start = index;
  let end = index;
  while (start > 0 && !DELIMITER.test(line.charAt(start - 1))) start -= 1;
  while (end < line.length && !DELIMITER.test(line.charAt(end))) end += 1;
  return { start, end };
}

function isBetweenWords(line: string, index: number): boolean {
  const isInsideWord = /[!-~]/.test(line.charAt(index - 1)) && /[!-~]/.test(line.charAt(index));
  return !isInsideWord && !CONTINUATION_OF_PLAIN_TEXT.test(line.slice(index, index + 2));
}

function characterStart(line: string, maxIndex: number): number {
  let index = maxIndex;
  while (index > 0 && CONTINUATION_OF_PLAIN_TEXT.test(line.slice(index, index + 2))) index -= 1;
  return index;
}
