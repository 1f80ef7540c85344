/** Made-up names of files, functions and variables, and texts of an exact size that are made of them. */

import * as z from 'zod';
import type { Draw } from './draw.ts';
import type { Piece } from './plan.ts';
import { shippedTexts } from './workload.ts';

/** Names as one project uses them: a few words, again and again. */
export interface Words {
  readonly draw: Draw;
  /** A word by the name of its placeholder in a template; `undefined` for other names. */
  word(placeholder: string): string | undefined;
  /** A template with its placeholders filled from the left; capitals ask for capitals. */
  readonly fill: (template: string) => string;
}

/** A source of pieces of text; each ends with its separator. */
export interface TextSource {
  /** The next piece, the same until it is taken. */
  peek(): string;
  take(): void;
  /** A sentence that the text has to hold, as it stands in it before the next piece. */
  hold(sentence: string): string;
}

const List = z.string().transform((words) => words.split(' '));
const wordLists = shippedTexts(
  'words',
  z.strictObject({ nouns: List, verbs: List, endings: List }),
);

const PLACEHOLDER = /\{(\w+)\}/g;
const NOUNS_PER_PROJECT = 24;
const VERBS_PER_PROJECT = 18;
const MAX_NUMBER = 500;
const LAST_HOUR = 23;
const SIXTIETHS = 59;
const THOUSANDTHS = 999;
const LARGEST_FILE = 90_000;
const HASH_LENGTH = 7;
const HEX = '0123456789abcdef'.split('');
/** Numbers of lines, paths before them, marks of comments. */
const HELD_MARGIN = 120;

/** The names of a project. */
export function createWords(draw: Draw, path: () => string): Words {
  const lists = wordLists();
  const nouns = draw.shuffled(lists.nouns).slice(0, NOUNS_PER_PROJECT);
  const verbs = draw.shuffled(lists.verbs).slice(0, VERBS_PER_PROJECT);
  const noun = () => draw.word(nouns);
  const verb = () => draw.word(verbs);
  const digits = (most: number, width: number) => String(draw.whole(0, most)).padStart(width, '0');
  const makers: Readonly<Record<string, () => string>> = {
    noun,
    verb,
    path,
    folder: () => folderOf(path()),
    symbol: () => `${verb()}${capital(noun())}`,
    type: () => `${capital(noun())}${draw.word(lists.endings)}`,
    snake: () => `${verb()}_${noun()}`,
    number: () => String(draw.whole(0, MAX_NUMBER)),
    column: () => String(draw.whole(1, SIXTIETHS)),
    size: () => String(draw.whole(0, LARGEST_FILE)).padStart(6),
    time: () => {
      const thousandths = digits(THOUSANDTHS, 3);
      return `${digits(LAST_HOUR, 2)}:${digits(SIXTIETHS, 2)}:${digits(SIXTIETHS, 2)}.${thousandths}`;
    },
    hash: () => lettersOf(draw, HEX, HASH_LENGTH),
    setting: () => draw.word(['true', 'false', 'auto']),
    mark: () => draw.word(['M', 'A', 'D']),
  };
  const word = (placeholder: string) => makers[placeholder]?.();
  return { draw, word, fill: (template) => fill(template, word) };
}

/** A template with its placeholders filled by their names in lower case; braces around other words stay. */
export function fill(template: string, wordOf: (name: string) => string | undefined): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const word = wordOf(name.toLowerCase());
    if (word === undefined) return whole;
    if (name === name.toUpperCase()) return word.toUpperCase();
    return name === capital(name) ? capital(word) : word;
  });
}

/** Letters drawn one by one. */
export function lettersOf(draw: Draw, alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => draw.word(alphabet)).join('');
}

/** The folder that a path lies in. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

/** Pieces from a function. */
export function createSource(next: () => string, hold: TextSource['hold']): TextSource {
  let waiting: string | undefined;
  return {
    peek: () => (waiting ??= next()),
    take: () => {
      waiting = undefined;
    },
    hold,
  };
}

/** A text of exactly the characters of its piece that holds its sentences whole, if they fit at all. */
export function compose(piece: Piece, source: TextSource): string {
  const { characters, holds } = piece;
  const waiting = holds.toSorted((a, b) => a.from - b.from);
  let reserved = waiting.reduce((sum, hold) => sum + heldCharacters(hold.text), 0);
  let text = '';
  while (text.length < characters) {
    const [first] = waiting;
    const end = text.length + source.peek().length + reserved;
    if (first === undefined || (text.length < first.from * characters && end <= characters)) {
      text += source.peek();
      source.take();
    } else {
      waiting.shift();
      reserved -= heldCharacters(first.text);
      text += source.hold(first.text);
    }
  }
  return text.slice(0, characters);
}

/** The room that a sentence takes in a text at most, with what stands around it. */
export function heldCharacters(sentence: string): number {
  return sentence.length + HELD_MARGIN;
}

/** A text with as many additions as bring it nearest to a length. */
export function lengthen(text: string, characters: number, add: (text: string) => string): string {
  const longer = add(text);
  if (longer.length <= text.length || longer.length + text.length > 2 * characters) return text;
  return lengthen(longer, characters, add);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
