import { plainToolName } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import {
  eachFileName,
  eachName,
  eachWord,
  isForeignLine,
  isProse,
  linesIn,
  withoutForeignNames,
} from './texts.ts';

/** Numbers for the pieces of texts that steps need; no others have to be found. */
export interface Pieces {
  readonly lines: (text: string, options: LineOptions) => readonly number[];
  readonly names: (text: string, tools: ReadonlySet<string>) => readonly number[];
  /** Without those that many projects have; in a path, with any ending. */
  readonly fileNames: (text: string, isPath?: boolean) => readonly number[];
  readonly fact: (value: string) => number;
  /** Of a text that shows these files, by their names; where none is named, it may show any. */
  readonly in: (text: string, files?: readonly string[]) => readonly number[];
  /** Tests if several files have a line, so that it tells of none of them; of a name, if it only ever is a member of something. */
  readonly isCommon: (piece: number) => boolean;
  readonly wordsOf: (piece: number) => string;
  readonly size: () => number;
  /** Keeps no lines of texts any more: those of the session have been seen. */
  readonly forget: () => void;
}

interface LineOptions {
  /** The name of the only file that may have them. */
  readonly of?: string | undefined;
  readonly minLength?: number;
  /** Without imports and the like. */
  readonly isOwn?: boolean;
  readonly isProse?: boolean;
  /** Lines that differ in numbers alone are the same. */
  readonly isBlind?: boolean;
}

/** A line as it is needed of one file, and the same of the others before. */
interface Line {
  readonly piece: number;
  readonly of: string;
  readonly files: string[];
  readonly next: Line | undefined;
}

const ANY = '';
/** Files that a line may stand in and still tells of each of them. */
const MOST_FILES = 2;
const FILE =
  /^[a-z\d][\w@+.-]*\.(?:go|[cm]?[jt]sx?|jsonl?|mdx?|py|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|ps1|ya?ml|toml|lock|txt|html|vue|s?css|sql|proto|mod|sum|ini|csv|svg|xml|env|swift|lua|ex|dart|tf)$/i;
const CONVENTIONAL =
  /^(?:readme|changelog|index|main|lib|mod|__init__|package|cargo|go|tsconfig|claude|agents)\.\w+$/i;
const NONE: readonly number[] = [];

/** No pieces yet. */
export function createPieces(): Pieces {
  const words: string[] = [];
  const add = (text: string) => words.push(text) - 1;
  const numberIn = (known: Map<string, number>, key: string) => keepIn(known, key, () => add(key));
  let read: Map<string, readonly string[]> | undefined = new Map();
  const linesOf = (text: string) =>
    read === undefined ? linesIn(text) : keepIn(read, text, () => linesIn(text));
  const lines = createLines(add, linesOf);
  const named = new Set<number>();
  const [names, files, facts] = [table(), table(), table()];
  return {
    lines: lines.need,
    names: (text, tools) => {
      const found = new Set<number>();
      eachName(withoutForeignNames(text), (name) => {
        if (!tools.has(plainToolName(name))) found.add(numberIn(names, name));
      });
      return [...found];
    },
    fileNames: (text, isPath = false) => {
      const found = new Set<number>();
      eachFileName(text, (name) => {
        if (CONVENTIONAL.test(name) || !(isPath || FILE.test(name))) return;
        const piece = numberIn(files, name);
        named.add(piece);
        found.add(piece);
      });
      return [...found];
    },
    fact: (value) => numberIn(facts, value),
    in: (text, shown = []) => {
      if (text === '' || words.length === 0) return NONE;
      const found = new Set<number>();
      const take = (piece: number | undefined) => {
        if (piece !== undefined) found.add(piece);
      };
      for (const line of linesOf(text)) lines.find(line, shown, take);
      // Of what has a number it is known that it is rare.
      if (names.size > 0) {
        eachWord(text, (name, isMember) => {
          const piece = names.get(name);
          take(piece);
          if (!isMember && piece !== undefined) named.add(piece);
        });
      }
      if (files.size > 0) eachFileName(text, (name) => take(files.get(name)));
      for (const [value, piece] of facts) if (text.includes(value)) found.add(piece);
      return [...found];
    },
    isCommon: (piece) => lines.isCommon(piece) ?? !named.has(piece),
    wordsOf: (piece) => words[piece] ?? '',
    size: () => words.length,
    forget: () => {
      read = undefined;
    },
  };
}

function createLines(add: (text: string) => number, linesOf: (text: string) => readonly string[]) {
  const known = new Map<string, Line>();
  const byPiece: Line[] = [];
  const blind = table();
  const numberOf = (line: string, { of = ANY, isBlind = false }: LineOptions) => {
    if (isBlind) return keepIn(blind, withoutNumbers(line), () => add(withoutNumbers(line)));
    const first = known.get(line);
    for (let own = first; own !== undefined; own = own.next) if (own.of === of) return own.piece;
    const piece = add(line);
    known.set(line, (byPiece[piece] = { piece, of, files: first?.files ?? [], next: first }));
    return piece;
  };
  return {
    need: (text: string, options: LineOptions) => {
      const found = new Set<number>();
      for (const line of linesOf(text)) {
        if (line.length < (options.minLength ?? 0)) continue;
        if (options.isOwn === true && isForeignLine(line)) continue;
        if (options.isProse !== true || isProse(line)) found.add(numberOf(line, options));
      }
      return [...found];
    },
    find: (line: string, shown: readonly string[], take: (piece: number | undefined) => void) => {
      if (blind.size > 0) take(blind.get(withoutNumbers(line)));
      const first = known.get(line);
      for (let own = first; own !== undefined; own = own.next)
        if (own.of === ANY || shown.length === 0 || shown.includes(own.of)) take(own.piece);
      if (first === undefined || first.files.length > MOST_FILES) return;
      for (const file of shown) if (!first.files.includes(file)) first.files.push(file);
    },
    isCommon: (piece: number) => byPiece[piece] && byPiece[piece].files.length > MOST_FILES,
  };
}

function withoutNumbers(line: string): string {
  return line.replaceAll(/\d+/g, '0');
}

function table(): Map<string, number> {
  return new Map();
}
