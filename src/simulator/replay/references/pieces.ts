import { plainToolName } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import {
  eachFileName,
  eachLine,
  eachName,
  eachPhrase,
  eachRowKey,
  eachWord,
  withoutForeignLines,
  withoutForeignNames,
} from './texts.ts';

/** Numbers for the pieces of texts that steps need; no others have to be found. */
export interface Pieces {
  readonly lines: (text: string, minLength?: number) => readonly number[];
  readonly names: (texts: readonly string[], tools: ReadonlySet<string>) => readonly number[];
  readonly phrases: (texts: readonly string[]) => readonly number[];
  /** None where it has no ending, or where many projects have one of that name. */
  readonly fileName: (name: string) => number;
  readonly fact: (value: string) => number;
  readonly in: (text: string) => readonly number[];
  readonly wordsOf: (piece: number) => string;
  readonly size: () => number;
}

/** The number of no piece. */
export const NO_PIECE = -1;

const CONVENTIONAL =
  /^(?:readme|changelog|index|main|lib|mod|__init__|package|cargo|go|tsconfig|claude|agents)\.\w+$/i;
const NONE: readonly number[] = [];

/** No pieces yet. */
export function createPieces(): Pieces {
  const words: string[] = [];
  const [lines, names, files, facts] = [table(), table(), table(), table()];
  const phrases = new Map<number, number>();
  const numberIn = (known: Map<string, number>, text: string) =>
    keepIn(known, text, () => words.push(text) - 1);
  return {
    lines: (text, minLength = 0) => {
      const found = new Set<number>();
      eachLine(text, (line) => {
        if (line.length >= minLength) found.add(numberIn(lines, line));
      });
      return [...found];
    },
    names: (texts, tools) => {
      const found = new Set<number>();
      for (const text of texts) {
        eachName(withoutForeignNames(text), (name) => {
          if (!tools.has(plainToolName(name))) found.add(numberIn(names, name));
        });
      }
      return [...found];
    },
    phrases: (texts) => {
      const found: number[] = [];
      for (const text of texts) {
        const own = withoutForeignLines(text);
        eachPhrase(own, (key, start, end) =>
          found.push(keepIn(phrases, key, () => words.push(own.slice(start, end)) - 1)),
        );
        found.push(NO_PIECE);
      }
      return found;
    },
    fileName: (name) => (isFileName(name) ? numberIn(files, name) : NO_PIECE),
    fact: (value) => numberIn(facts, value),
    in: (text) => {
      if (text === '' || words.length === 0) return NONE;
      const found = new Set<number>();
      const add = (piece: number | undefined) => {
        if (piece !== undefined) found.add(piece);
      };
      if (lines.size > 0) eachLine(text, (line) => add(lines.get(line)));
      // Of what has a number it is known that it is rare, or varied.
      if (names.size > 0) eachWord(text, (name) => add(names.get(name)));
      if (files.size > 0) eachFileName(text, (name) => add(files.get(name)));
      if (phrases.size > 0) eachRowKey(text, (key) => add(phrases.get(key)));
      for (const [value, piece] of facts) if (text.includes(value)) found.add(piece);
      return [...found];
    },
    wordsOf: (piece) => words[piece] ?? '',
    size: () => words.length,
  };
}

function table(): Map<string, number> {
  return new Map();
}

function isFileName(name: string): boolean {
  let isWhole = false;
  if (CONVENTIONAL.test(name)) return false;
  eachFileName(name, (found) => {
    isWhole ||= found === name;
  });
  return isWhole;
}
