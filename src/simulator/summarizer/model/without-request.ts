import { addToGroup } from '../../lib/collections.ts';
import type { TextRequest } from './prompt.ts';

/** The text of a request without the effects of quoting. */
interface Said {
  readonly texts: readonly string[];
  /** Those that are too short to be found by their runs. */
  readonly short: WholeMessages;
}

/** A text without quoting, with the original position of each character. */
interface BareText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A message, and the characters of it that no quoting changes. */
interface SaidMessage {
  readonly text: string;
  readonly bare: string;
}

/** Short messages without what quoting changes in them, by their length. */
type WholeMessages = ReadonlyMap<number, ReadonlySet<string>>;

const SHOWN = '[of the request]';
/** Characters that anybody may have in common with a request, without blanks and quotes: 24 or so with them. */
const WINDOW_LENGTH = 20;
/** Longest part of an error that is read. */
const LONGEST_READ = 100_000;
const NEIGHBOURS = /\[of the request\](?:[^\p{L}\p{N}]*\[of the request\])+/gu;

/** Text that quoting adds, removes or spells differently, once or repeatedly. */
const QUOTING =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbfv0])?|&(?:quot|apos|lt|gt|amp|#34|#39|#x27);|[\s"'<>&]/gi;
const NOT_BARE = /[\s"'<>&\\]/;

/** Shorter ones may stand in any text. */
const LEAST_LENGTH = 8;
/** A word of an alphabet, or a number, which anybody may use. Other scripts write whole sentences without a blank. */
const PLAIN =
  /^[^\p{L}\p{N}]*(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|[\p{N}.,]+)[^\p{L}\p{N}]*$/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

/**
 * Creates a function that removes pieces of a request from texts: long common runs, and whole short messages, however quoted. Linear
 * in both.
 */
export function createWithoutRequest(
  { system, messages }: TextRequest,
  scrub: (text: string) => string,
): (text: string) => string {
  const texts = [system, ...messages.map(({ content }) => content)];
  let said: Said | undefined;
  return (text) => {
    const shown = scrub(text.slice(0, LONGEST_READ));
    said ??= toSaid(texts.map(scrub));
    return withoutSaid(shown, said);
  };
}

function toSaid(texts: readonly string[]): Said {
  const said = texts.map((text) => ({ text, bare: toBare(text) }));
  return { texts: said.map(({ bare }) => bare), short: wholeMessagesOf(said, WINDOW_LENGTH) };
}

function toBare(text: string): string {
  return text.replace(QUOTING, unquoted);
}

/** The text that a piece of quoting stands for; empty where it has several spellings. */
function unquoted(_: string, unicode: string | undefined, byte: string | undefined): string {
  const code = unicode ?? byte;
  if (code === undefined) return '';
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return NOT_BARE.test(character) ? '' : character;
}

/** Those of some messages that are shorter than so many characters, and say something. */
function wholeMessagesOf(messages: readonly SaidMessage[], tooLong: number): WholeMessages {
  const byLength = new Map<number, Set<string>>();
  for (const { text, bare } of messages) {
    const { length } = bare;
    if (length < LEAST_LENGTH || length >= tooLong || PLAIN.test(text)) continue;
    const known = byLength.get(length) ?? new Set();
    byLength.set(length, known.add(bare));
  }
  return byLength;
}

function withoutSaid(text: string, said: Said): string {
  const bare = bareOf(text);
  const isSaid = findRuns(bare.text, said.texts);
  markWhole(bare, said.short, isSaid);
  let result = '';
  let writtenTo = 0;
  for (let from = isSaid.indexOf(1); from !== -1; from = isSaid.indexOf(1, from)) {
    const to = endOfRun(isSaid, from);
    result += `${text.slice(writtenTo, bare.starts[from])}${SHOWN}`;
    writtenTo = bare.ends[to - 1] ?? text.length;
    from = to;
  }
  return `${result}${text.slice(writtenTo)}`.replace(NEIGHBOURS, SHOWN);
}

/** The characters of a text that quoting leaves unchanged, with their positions. */
function bareOf(text: string): BareText {
  const bare = { text: '', starts: [] as number[], ends: [] as number[] };
  const add = (characters: string, from: number, to: number | undefined) => {
    for (let index = 0; index < characters.length; index++) {
      bare.starts.push(from + (to === undefined ? index : 0));
      bare.ends.push(to ?? from + index + 1);
    }
    bare.text += characters;
  };
  let readTo = 0;
  for (const match of text.matchAll(QUOTING)) {
    const [whole, unicode, byte] = match;
    add(text.slice(readTo, match.index), readTo, undefined);
    readTo = match.index + whole.length;
    add(unquoted(whole, unicode, byte), match.index, readTo);
  }
  add(text.slice(readTo), readTo, undefined);
  return bare;
}

/** Marks the characters that stand in a window which a request has too. */
function findRuns(text: string, said: readonly string[]): Uint8Array {
  const isSaid = new Uint8Array(text.length);
  const windows = windowsOf(text);
  for (const one of said) {
    for (let at = 0; at + WINDOW_LENGTH <= one.length && windows.size > 0; at++) {
      const window = one.slice(at, at + WINDOW_LENGTH);
      for (const start of windows.get(window) ?? []) isSaid.fill(1, start, start + WINDOW_LENGTH);
      // Once is enough, so that a text that repeats itself is marked but once.
      windows.delete(window);
    }
  }
  return isSaid;
}

function windowsOf(text: string): Map<string, number[]> {
  const windows = new Map<string, number[]>();
  for (let at = 0; at + WINDOW_LENGTH <= text.length; at++) {
    addToGroup(windows, text.slice(at, at + WINDOW_LENGTH), at);
  }
  return windows;
}

/** Marks whole messages in a text that are not part of other words. */
function markWhole(bare: BareText, messages: WholeMessages, marks: Uint8Array): void {
  for (const [length, known] of messages) {
    for (let start = 0; start + length <= bare.text.length; start++) {
      const end = start + length;
      if (!known.has(bare.text.slice(start, end))) continue;
      if (isWordBoundary(bare, start) && isWordBoundary(bare, end)) marks.fill(1, start, end);
    }
  }
}

/** Tests if a word boundary lies at a position; text that quoting put there separates words too. */
function isWordBoundary({ text, starts, ends }: BareText, at: number): boolean {
  if (at === 0 || at === text.length || ends[at - 1] !== starts[at]) return true;
  const [before, behind] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)];
  return !WORD_END.test(before) || !WORD_START.test(behind);
}

function endOfRun(isSaid: Uint8Array, from: number): number {
  const to = isSaid.indexOf(0, from);
  return to === -1 ? isSaid.length : to;
}
