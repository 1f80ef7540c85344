import {
  isSent,
  isSummary,
  type Message,
  type SummaryRequest,
  type ToolPart,
} from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';

/** A text of one message. */
export interface Passage {
  readonly text: string;
  /** Index of the message in the head. */
  readonly at: number;
  /** How many requests of the user came up to here. */
  readonly turn: number;
}

/** A tool call with the index of its message. */
export interface Call {
  readonly part: ToolPart;
  readonly at: number;
}

/** The texts of a head, by author. */
export interface Head {
  /** User requests, without synthetic ones. */
  readonly requests: readonly Passage[];
  /** Synthetic user messages, such as the rules of a project. */
  readonly notes: readonly Passage[];
  /** Answers of the model. */
  readonly answers: readonly Passage[];
  readonly calls: readonly Call[];
  /** The text of the summary that the head builds on; empty where there is none. */
  readonly previous: string;
  /** True if the newest request has its final answer. */
  readonly isAnswered: boolean;
}

const PREVIOUS_START = '<previous-summary>';
const PREVIOUS_END = '</previous-summary>';

/** Marks that end a sentence, what closes with it, and the white space behind; a stop needs white space. */
const END =
  /[.!?。！？．]+["'()[\]{}«»“”‘’「」『』（）【】《》〈〉]*(?:\s+|(?<=[^!-~]))|[\r\n\u2028\u2029]\s*/g;
/** Marks after which a sentence continues. */
const CONTINUATION = /[,:;\-–—、，：；.!?。！？．]/;
/** The first letter behind a full stop is a small one: the stop is of a shortened word, or of a number. */
const SMALL_NEXT = /[^\p{L}\r\n.!?。！？．]{0,80}\p{Ll}/uy;
const FULL_STOP = /[.．][^.．!?。！？]*$/;
/** Lines with a cue that are looked at: far more than a summary holds, few enough to be quick. */
const FIRST_LINES = 500;
const LAST_LINES = 1_500;

const FENCE = /^\s*(?:```|~~~)/;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** Introduces a list; it applies to each entry below. */
const LIST_OPENING = /[:：]\s*$/;
/** Longest opening that is repeated with each entry of its list. */
const LONGEST_OPENING = 200;

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
/** Terminal sequences: colours and cursor moves, titles and links, single-letter commands. */
const TERMINAL_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[@-Z\\\\-_])`,
  'g',
);
/** White space, control characters, halves of surrogate pairs, and marks that turn the writing direction. */
const BLANK = /[\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;
const LEADING_MARK = /^(?:[-*+•>#]+\s+|\d{1,3}[.)]\s+)+/;
/** Ends a run of characters that may be a path. */
const DELIMITER = /[\s"'`“”‘’,;<>|，。、；：！？「」『』（）《》【】…]/u;
/** A character that must not be parted from the one before it. */
const CONTINUATION_OF_PLAIN_TEXT = /^[\p{M}\p{Cs}\u200d]/u;
/** Raw characters looked at for each character that is wanted. */
const RAW_PER_CHAR = 4;

/** Sorts the messages of a request. Messages and texts that are never sent count for nothing. */
export function readHead({ messages, prompt }: SummaryRequest): Head {
  const previous = messages.findLast(isUsableSummary);
  const [requests, answers] = readPassages(messages);
  return {
    requests,
    notes: readNotes(messages),
    answers,
    calls: messages.flatMap((message, at) =>
      isSent(message) ? toolParts(message).map((part) => ({ part, at })) : [],
    ),
    previous: previous === undefined ? quotedSummary(prompt) : writtenText(previous),
    isAnswered: isAnswered(messages),
  };
}

/** The summary that an instruction quotes, as a policy does that hides earlier ones from the head; empty where there is none. */
export function quotedSummary(prompt: string): string {
  const start = prompt.indexOf(PREVIOUS_START);
  const end = prompt.lastIndexOf(PREVIOUS_END);
  return start < 0 || end < start ? '' : prompt.slice(start + PREVIOUS_START.length, end);
}

/**
 * The sentences of a text, each with the white space that follows it; together they are the text.
 * A stop directly before the next word ends none: it belongs to a name, as in `App.Test.tsx`.
 */
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

/** The sentences of passages in which a cue occurs, in order; of very many lines the first and the last. */
export function findSentences(
  passages: readonly Passage[],
  cue: Pick<RegExp, 'test'>,
): readonly Passage[] {
  const lines = passages.flatMap((passage) =>
    proseLines(passage.text)
      .filter((line) => cue.test(line))
      .map((text) => ({ ...passage, text })),
  );
  return withoutMiddle(lines).flatMap((line) =>
    splitSentences(line.text)
      .filter((sentence) => cue.test(sentence))
      .map((text) => ({ ...line, text })),
  );
}

/**
 * The prose lines of a text, without fenced code; an unclosed fence hides nothing. Each entry of a list follows its introduction:
 * `Do not touch: src/old.ts`.
 */
export function proseLines(text: string): readonly string[] {
  let opening = '';
  return withoutCode(text.split(/[\r\n]+/)).flatMap((line) => {
    const isEntry = LIST_MARK.test(line);
    if (isEntry) return [opening + line.replace(LIST_MARK, '')];
    if (line.trim() === '') return [];
    const isOpening = LIST_OPENING.test(line);
    opening = isOpening && line.length <= LONGEST_OPENING ? `${line.trim()} ` : '';
    return isOpening ? [] : [line];
  });
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

/**
 * A line of at most that many characters: cut after a sentence or between words, never inside a path.
 * Empty where a path fills all of it.
 */
export function clipLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  if (maxChars <= 0) return '';
  const end = sentenceEnd(line, maxChars - 1) ?? cutIndex(line, maxChars - 1);
  return end <= 0 ? '' : `${line.slice(0, end).trimEnd()}…`;
}

function isUsableSummary(message: Message): boolean {
  return isSummary(message) && message.error === undefined && writtenText(message).trim() !== '';
}

function writtenText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === 'subtask') return [part.prompt];
      return part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [];
    })
    .join('\n');
}

function readPassages(messages: readonly Message[]) {
  const requests: Passage[] = [];
  const answers: Passage[] = [];
  for (const [at, message] of messages.entries()) {
    const text = isSummary(message) || !isSent(message) ? '' : writtenText(message);
    if (text.trim() === '') continue;
    if (message.role === 'user') requests.push({ text, at, turn: requests.length + 1 });
    else answers.push({ text, at, turn: requests.length });
  }
  return [requests, answers] as const;
}

function readNotes(messages: readonly Message[]): readonly Passage[] {
  return messages.flatMap((message, at) =>
    message.role !== 'user' || !isSent(message)
      ? []
      : message.parts.flatMap((part) =>
          part.type === 'text' && part.synthetic === true && part.ignored !== true
            ? [{ text: part.text, at, turn: 0 }]
            : [],
        ),
  );
}

function toolParts(message: Message): readonly ToolPart[] {
  return message.parts.filter((part) => part.type === 'tool');
}

function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) =>
    message.role === 'user' ? writtenText(message) !== '' : !isSummary(message),
  );
  return last?.role === 'assistant' && last.finish === 'stop';
}

/** Tests if the text after a mark belongs to the same sentence. */
function goesOn(text: string, end: number, mark: string): boolean {
  if (/[\r\n\u2028\u2029]/.test(mark)) return false;
  if (CONTINUATION.test(text.charAt(end))) return true;
  SMALL_NEXT.lastIndex = end;
  return FULL_STOP.test(mark) && SMALL_NEXT.test(text);
}

function withoutMiddle(lines: readonly Passage[]): readonly Passage[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}

function withoutCode(lines: readonly string[]): readonly string[] {
  const fences = lines.filter((line) => FENCE.test(line)).length;
  const closedFences = fences - (fences % 2);
  let seenFences = 0;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) seenFences += 1;
    return !isFence && (seenFences >= closedFences || seenFences % 2 === 0);
  });
}

/** Where the last whole sentence ends, if sentences fill at least half of the room. */
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
