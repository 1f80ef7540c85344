import { addToGroup } from '../../lib/collections.ts';
import { bareOf, toBare } from './bare-text.ts';
import type { TextRequest } from './text-model.ts';
import { markWhole, type WholeMessages, wholeMessagesOf } from './whole-messages.ts';

/** What a request says, without what quoting changes in it. */
interface Said {
  readonly texts: readonly string[];
  /** Those that are too short to be found by their runs. */
  readonly short: WholeMessages;
}

const SHOWN = '[of the request]';
/** Characters that anybody may have in common with a request, without blanks and quotes: 24 or so with them. */
const WINDOW_LENGTH = 20;
/** Nobody reads more of an error. */
const LONGEST_READ = 100_000;
const NEIGHBOURS = /\[of the request\](?:[^\p{L}\p{N}]*\[of the request\])+/gu;

/**
 * Takes out of texts whatever longer run of characters a request has too, and its whole short messages, however they
 * are quoted. Linear in both.
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

function endOfRun(isSaid: Uint8Array, from: number): number {
  const to = isSaid.indexOf(0, from);
  return to === -1 ? isSaid.length : to;
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
