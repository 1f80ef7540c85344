import type { TextRequest } from './text-model.ts';

/** A text without what quoting changes in it, and where each of its characters stands in the text. */
interface BareText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const SHOWN = '[of the request]';
/** Characters that anybody may have in common with a request, without blanks and quotes: 24 or so with them. */
const WINDOW_LENGTH = 20;
/** Nobody reads more of an error. */
const LONGEST_READ = 100_000;
/** What quoting adds, takes away or spells otherwise, once or several times over. */
const QUOTING =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbfv0])?|&(?:quot|apos|lt|gt|amp|#34|#39|#x27);|[\s"'<>&]/gi;
const NOT_BARE = /[\s"'<>&\\]/;
const NEIGHBOURS = /\[of the request\](?:[^\p{L}\p{N}]*\[of the request\])+/gu;

/** Takes out of texts whatever longer run of characters a request has too, however it is quoted. Linear in both. */
export function createWithoutRequest(
  { system, messages }: TextRequest,
  scrub: (text: string) => string,
): (text: string) => string {
  const texts = [system, ...messages.map(({ content }) => content)];
  let said: readonly string[] | undefined;
  return (text) => {
    const shown = scrub(text.slice(0, LONGEST_READ));
    said ??= texts.map((one) => scrub(one).replace(QUOTING, unquoted));
    return withoutRuns(shown, said);
  };
}

function withoutRuns(text: string, said: readonly string[]): string {
  const bare = bareOf(text);
  const isSaid = findSaid(bare.text, said);
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

function endOfRun(isSaid: Uint8Array, from: number): number {
  const to = isSaid.indexOf(0, from);
  return to === -1 ? isSaid.length : to;
}

/** Marks the characters that stand in a window which a request has too. */
function findSaid(text: string, said: readonly string[]): Uint8Array {
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
    const window = text.slice(at, at + WINDOW_LENGTH);
    const starts = windows.get(window);
    if (starts === undefined) windows.set(window, [at]);
    else starts.push(at);
  }
  return windows;
}

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

/** What a piece of quoting stands for; nothing where that may be spelled in several ways. */
function unquoted(_: string, unicode: string | undefined, byte: string | undefined): string {
  const code = unicode ?? byte;
  if (code === undefined) return '';
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return NOT_BARE.test(character) ? '' : character;
}
