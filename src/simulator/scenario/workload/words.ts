/** Made-up names of files, functions and variables, and texts of an exact size that are made of them. */

import * as z from 'zod';
import { sum } from '../../lib/collections.ts';
import type { Draw } from './draw.ts';
import type { Piece } from './plan.ts';
import { type Language, LANGUAGES, shippedTexts } from './workload.ts';

/** Names as one project uses them: a few words, again and again. */
export interface Words {
  readonly draw: Draw;
  /** A word by the name of its placeholder; `undefined` for other names. */
  word(placeholder: string): string | undefined;
  /** A template with its placeholders filled; capitals ask for capitals. */
  readonly fill: (template: string) => string;
}

/** A source of pieces of text; each ends with its separator. */
export interface TextSource {
  readonly next: () => string;
  /** A sentence as it stands in the text before the piece that was taken last; absent: on a line. */
  readonly hold?: (sentence: string) => string;
}

interface Voice {
  readonly language: Language;
  readonly speaker?: 'user' | 'model';
}

export const OUTPUTS = [
  'test',
  'log',
  'listing',
  'paths',
  'history',
  'status',
  'build',
  'trace',
] as const;

const Lines = z.array(z.string());
const List = z.string().transform((words) => words.split(' '));
const wordLists = shippedTexts(
  'words',
  z.strictObject({
    nouns: List,
    verbs: List,
    endings: List,
    settings: List,
    marks: List,
    parents: List,
    homes: List,
  }),
);
const outputs = shippedTexts('outputs', z.record(z.enum(OUTPUTS), Lines));
const sentences = shippedTexts(
  'prose',
  z.record(z.enum(LANGUAGES), z.strictObject({ user: Lines, model: Lines })),
);

const PLACEHOLDER = /\{(\w+)\}/g;
const NOUNS_PER_PROJECT = 24;
const VERBS_PER_PROJECT = 18;
const MAX_NUMBER = 500;
const LARGEST_FILE = 90_000;
const HASH_LENGTH = 7;
const HEX = '0123456789abcdef'.split('');
/** Numbers of lines, paths before them, marks of comments. */
const HELD_MARGIN = 120;
const UNSPACED: readonly Language[] = ['chinese', 'japanese'];
/** After anything else the next sentence would read on. */
const ENDED = /[.!?]$/;
const PARAGRAPH_RATE = 0.15;

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
    folder: () => path().split('/').slice(0, -1).join('/'),
    symbol: () => `${verb()}${capital(noun())}`,
    type: () => `${capital(noun())}${draw.word(lists.endings)}`,
    snake: () => `${verb()}_${noun()}`,
    number: () => digits(MAX_NUMBER, 1),
    column: () => String(draw.whole(1, 59)),
    size: () => String(draw.whole(0, LARGEST_FILE)).padStart(6),
    time: () => {
      const thousandths = digits(999, 3);
      return `${digits(23, 2)}:${digits(59, 2)}:${digits(59, 2)}.${thousandths}`;
    },
    hash: () => lettersOf(draw, HEX, HASH_LENGTH),
    setting: () => draw.word(lists.settings),
    mark: () => draw.word(lists.marks),
    parent: () => draw.word(lists.parents),
    home: () => draw.word(lists.homes),
  };
  const word = (placeholder: string) => makers[placeholder]?.();
  return { draw, word, fill: (template) => fill(template, word) };
}

/** A template with its placeholders filled; braces around other words stay. */
export function fill(template: string, wordOf: (name: string) => string | undefined) {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const word = wordOf(name.toLowerCase());
    if (word === undefined) return whole;
    if (name === name.toUpperCase()) return word.toUpperCase();
    return name === capital(name) ? capital(word) : word;
  });
}

export function lettersOf(draw: Draw, alphabet: readonly string[], length: number) {
  return Array.from({ length }, () => draw.word(alphabet)).join('');
}

export function writeProse(piece: Piece, words: Words, voice: Voice) {
  const text = compose(piece, proseSource(words, voice));
  const end = UNSPACED.includes(voice.language) ? '。' : '.';
  return /[\p{L}\p{N}\s,，、(（]$/u.test(text) ? `${text.slice(0, -1)}${end}` : text;
}

export function proseSource(words: Words, { language, speaker = 'model' }: Voice): TextSource {
  const templates = sentences()[language][speaker];
  const gap = UNSPACED.includes(language) ? '' : ' ';
  const end = () => (words.draw.isTrue(PARAGRAPH_RATE) ? '\n\n' : gap);
  return {
    next: () => `${words.fill(words.draw.word(templates))}${end()}`,
    hold: (sentence) => `${sentence}${gap === '' || !ENDED.test(sentence) ? '\n' : gap}`,
  };
}

/** Made-up output of one kind of commands, some lines before it. */
export function outputSource(
  kind: (typeof OUTPUTS)[number],
  words: Words,
  first: readonly string[] = [],
): TextSource {
  return lineSource(() => words.fill(words.draw.word(outputs()[kind])), first);
}

export function lineSource(nextLine: () => string, first: readonly string[] = []): TextSource {
  const waiting = [...first];
  return { next: () => `${waiting.shift() ?? nextLine()}\n` };
}

/** A text of exactly the characters of its piece with its sentences, if they fit at all. */
export function compose({ characters, holds }: Piece, { next, hold = onLine }: TextSource) {
  const waiting = holds.toSorted((a, b) => a.from - b.from);
  let reserved = sum(waiting.map(({ text }) => heldCharacters(text)));
  let text = '';
  let piece = next();
  while (text.length < characters) {
    const [first] = waiting;
    const end = text.length + piece.length + reserved;
    if (first === undefined || (text.length < first.from * characters && end <= characters)) {
      text += piece;
      piece = next();
    } else {
      waiting.shift();
      reserved -= heldCharacters(first.text);
      text += hold(first.text);
    }
  }
  return text.slice(0, characters);
}

/** The room of a sentence in a text, with what stands around it. */
export function heldCharacters(sentence: string) {
  return sentence.length + HELD_MARGIN;
}

/** A text with as many additions as bring it nearest to a length. */
export function lengthen(text: string, characters: number, add: (text: string) => string) {
  const longer = add(text);
  if (longer.length <= text.length || longer.length + text.length > 2 * characters) return text;
  return lengthen(longer, characters, add);
}

function onLine(sentence: string) {
  return `${sentence}\n`;
}

function capital(word: string) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
