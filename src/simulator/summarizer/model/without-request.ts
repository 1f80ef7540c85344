import { addToGroup, keepIn } from '../../lib/collections.ts';
import type { TextRequest } from './prompt.ts';

interface Said {
  readonly texts: readonly string[];
  /** Whole messages that have no run, by their length. */
  readonly short: ReadonlyMap<number, ReadonlySet<string>>;
}

interface BareText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const SHOWN = '[of the request]';
/** Characters that anybody may have in common with a request. */
const WINDOW_LENGTH = 20;
const LONGEST_READ = 100_000;
const NEIGHBOURS = /\[of the request\](?:[^\p{L}\p{N}]*\[of the request\])+/gu;
/** Text that quoting adds, removes or spells differently, once or repeatedly. */
const QUOTING =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbfv0])?|&(?:quot|apos|lt|gt|amp|#34|#39|#x27);|[\s"'<>&]/gi;
const NOT_BARE = /[\s"'<>&\\]/;
/** Shorter ones may stand in any text. */
const LEAST_LENGTH = 8;
/** A word of an alphabet, or a number. Other scripts write whole sentences without a blank. */
const PLAIN =
  /^[^\p{L}\p{N}]*(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|[\p{N}.,]+)[^\p{L}\p{N}]*$/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

/** Removes pieces of a request from texts: long runs, and whole short messages, however quoted. */
export function createWithoutRequest(
  { system, messages }: TextRequest,
  scrub: (text: string) => string,
): (text: string) => string {
  const texts = [system, ...messages.map(({ content }) => content)];
  let said: Said | undefined;
  return (text) => {
    said ??= toSaid(texts.map(scrub));
    return withoutSaid(scrub(text.slice(0, LONGEST_READ)), said);
  };
}

function toSaid(texts: readonly string[]) {
  const short = new Map<number, Set<string>>();
  const bare = texts.map((text) => text.replace(QUOTING, unquoted));
  for (const [index, one] of bare.entries()) {
    const isShort = one.length >= LEAST_LENGTH && one.length < WINDOW_LENGTH;
    if (!isShort || PLAIN.test(texts[index] ?? '')) continue;
    keepIn(short, one.length, () => new Set()).add(one);
  }
  return { texts: bare, short };
}

/** Empty where it has several spellings. */
function unquoted(_: string, unicode: string | undefined, byte: string | undefined) {
  const code = unicode ?? byte;
  if (code === undefined) return '';
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return NOT_BARE.test(character) ? '' : character;
}

function withoutSaid(text: string, said: Said) {
  const bare = bareOf(text);
  const isSaid = findRuns(bare.text, said.texts);
  markWhole(bare, said.short, isSaid);
  let result = '';
  let writtenTo = 0;
  for (let from = isSaid.indexOf(1); from !== -1; from = isSaid.indexOf(1, from)) {
    const end = isSaid.indexOf(0, from);
    const to = end === -1 ? isSaid.length : end;
    result += `${text.slice(writtenTo, bare.starts[from])}${SHOWN}`;
    writtenTo = bare.ends[to - 1] ?? text.length;
    from = to;
  }
  return `${result}${text.slice(writtenTo)}`.replace(NEIGHBOURS, SHOWN);
}

function bareOf(text: string) {
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

function findRuns(text: string, said: readonly string[]) {
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

function windowsOf(text: string) {
  const windows = new Map<string, number[]>();
  for (let at = 0; at + WINDOW_LENGTH <= text.length; at++)
    addToGroup(windows, text.slice(at, at + WINDOW_LENGTH), at);
  return windows;
}

function markWhole(bare: BareText, messages: Said['short'], marks: Uint8Array) {
  for (const [length, known] of messages) {
    for (let start = 0; start + length <= bare.text.length; start++) {
      const end = start + length;
      if (!known.has(bare.text.slice(start, end))) continue;
      if (isWordBoundary(bare, start) && isWordBoundary(bare, end)) marks.fill(1, start, end);
    }
  }
}

/** Text that quoting put there separates words too. */
function isWordBoundary({ text, starts, ends }: BareText, at: number) {
  if (at === 0 || at === text.length || ends[at - 1] !== starts[at]) return true;
  const [before, behind] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)];
  return !WORD_END.test(before) || !WORD_START.test(behind);
}
