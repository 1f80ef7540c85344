import { plainToolName } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
type PieceSink<Piece> = (piece: Piece) => void;

/** Numbers for the pieces of texts that steps need; no others have to be found. */
export type Pieces = ReturnType<typeof createPieces>;

interface LineOptions {
  readonly of?: string | undefined;
  readonly minLength?: number;
  readonly isOwn?: boolean;
  readonly isProse?: boolean;
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
const MOST_FILES = 2;
const FILE =
  /^[a-z\d][\w@+.-]*\.(?:go|[cm]?[jt]sx?|jsonl?|mdx?|py|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|ps1|ya?ml|toml|lock|txt|html|vue|s?css|sql|proto|mod|sum|ini|csv|svg|xml|env|swift|lua|ex|dart|tf)$/i;
const CONVENTIONAL =
  /^(?:readme|changelog|index|main|lib|mod|__init__|package|cargo|go|tsconfig|claude|agents)\.\w+$/i;
const NONE: readonly number[] = [];

const MIN_LINE = 8;
const MIN_LINE_LETTERS = 4;
const MIN_PROSE = 40;
const PROSE_WORDS = 7;
const OF_CODE = /[{};=]|\w\(|:$/;
const PLAIN_WORD = /[\p{L}\p{N}_]+/gu;
const MIN_NAME = 11;
const MIN_NAME_OF_THREE = 8;
const MAX_NAME = 80;

const LINE_MARK =
  /^\s*(?:(?:[\w@.~*-]*\/)*[\w@.~-]+\.\w{1,8}[:-])?(?:L?\d+(?:→|\t|\||:|-)\s?(?:\d+[:-])?)?/;
const FIRST_OF_MARK = /^\s*(?:L?\d)/;
const BEHIND_FILE = /[:-]/;
const LETTER = /[\p{L}\p{N}]/gu;
const WIDE_SPACE = /\s\s|[^\S ]/;
const ANY_END = /\\?\n|\\n/;
const LIST_MARKS = '+-*>/#"';
const LIST_MARK = /^(?:[-+*>/#]+(?=\s|\w)|"\w+": ?"(?=\S+ \S))\s*/;
const BETWEEN_SENTENCES = /(?<=[a-z)`'"]\.) (?=[A-Z`*"'(])/;
const JOINED =
  /(?<![\w.,$/-])(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:[µnm]s|[KMG]i?B)|\d{5,}|\d+\.\d{2,})(?![\w.,-]*\d)|(?<![\w.$/-])(?!\w+-(?:to|of|and|by|for|the|in|on|up|a|an|or)-)[a-z]\w+(?:-[a-z\d]\w*){2,}/g;
const NAME = /\.?[A-Za-z_$][\w$]{6,}/g;
/** Components of a name: `fetch_tree_data` and `FetchTreeData` have three. */
const COMPONENT = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

const FOREIGN_LINE = [
  String.raw`^[ \t]*(?:import|from|export \*|export \{|package|require|use|using|#include)\b.*$`,
  String.raw`^[ \t]*(?:\w+[ \t]+)?"[\w.@/-]+"[ \t]*$`,
  // A few plain words, as searches answer that found nothing.
  String.raw`^[A-Z]?[a-z]+(?: [a-z]+){0,3}[.:]?$`,
].join('|');
const TRAILER = /Co-Authored-By|Signed-off-by|Reviewed-by|Generated with/;
const FOREIGN = new RegExp(FOREIGN_LINE);
const FOREIGN_LINES = new RegExp(`${FOREIGN_LINE}|^.*(?:${TRAILER.source}).*$`, 'gm');

/** Words that are nobody's own: links, paths, domains, files, members of standard packages. */
const FOREIGN_WORDS = new RegExp(
  // Each begins where a word does: a long one is not gone through from each of its letters.
  [
    String.raw`https?:\/\/[^\s"'\`)>]+`,
    String.raw`(?<![\w@.~$*{}-])[\w@.~$*{}-]*(?:\/[\w@.~$*{}[\]-]+)+`,
    String.raw`(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|io|dev|net|ai)\b`,
    String.raw`(?<![\w@+.-])[\w@+.-]+\.(?:go|[cm]?[jt]sx?|json|md|py|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|ya?ml|toml|lock|txt|html|s?css|sql|proto|mod|sum)\b`,
    String.raw`\b(?:fmt|os|io|json|strings|filepath|path|fs|bytes|errors|time|strconv|sort|slices|maps|sync|context|bufio|http|regexp|exec|testing|t|assert|require|expect|vi|jest|math|Math|JSON|Object|Array|Promise|Number|String|process|console|document|window|sys|re|np|pd|logging|datetime|std|self)\.\w+`,
    String.raw`\bnode_modules\b|\b[A-Z][A-Z\d_]*=(?=\S)`,
  ].join('|'),
  'g',
);

const LAST_ASCII = 0x7f;
const DOT = 0x2e;
const AT = 0x40;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const FIRST_LETTER = 0xc0;
const FIRST_IDEOGRAPH = 0x3040;

/** Tests if a line stands in everybody's texts. */
export function isForeignLine(line: string): boolean {
  return FOREIGN.test(line) || TRAILER.test(line);
}

/** Tests if a line is words in a row that hardly occur twice by chance. */
export function isProse(line: string): boolean {
  return (
    line.length >= MIN_PROSE &&
    !OF_CODE.test(line) &&
    (line.match(PLAIN_WORD)?.length ?? 0) >= PROSE_WORDS
  );
}

/** A text without names of others, for finding those that are the session's own. */
export function withoutForeignNames(text: string): string {
  return text.replace(FOREIGN_LINES, '').replace(FOREIGN_WORDS, ' ');
}

/**
 * Lines of a text that say something, without numbers, marks of a difference or a list in front, and with single spaces;
 * sentences of one line each by itself.
 */
export function linesIn(text: string): readonly string[] {
  const lines: string[] = [];
  for (const raw of text.split(text.includes('\\n') ? ANY_END : '\n')) {
    if (raw.length < MIN_LINE) continue;
    const mayBeMarked = FIRST_OF_MARK.test(raw) || (raw.includes('.') && BEHIND_FILE.test(raw));
    const bare = (mayBeMarked ? raw.replace(LINE_MARK, '') : raw).trim();
    const own = LIST_MARKS.includes(bare.charAt(0)) ? bare.replace(LIST_MARK, '') : bare;
    if (own.length < MIN_LINE) continue;
    const line = WIDE_SPACE.test(own) ? own.replace(/\s+/g, ' ') : own;
    const sentences = line.includes('. ') ? line.split(BETWEEN_SENTENCES) : [line];
    for (const each of sentences) if (each.length >= MIN_LINE && hasLetters(each)) lines.push(each);
  }
  return lines;
}

/** Identifiers of a text that are rare by their form: three components, or two and eleven characters; and long numbers. */
export function eachName(text: string, sink: PieceSink<string>): void {
  eachWord(text, (name) => {
    if (isRare(name)) sink(name);
  });
}

/** Identifiers and numbers of a text that are long enough to be rare, and if they are a member of something. */
export function eachWord(text: string, sink: (name: string, isMember: boolean) => void): void {
  for (const name of text.match(NAME) ?? []) {
    const isMember = name.charCodeAt(0) === DOT;
    sink(isMember ? name.slice(1) : name, isMember);
  }
  for (const name of text.match(JOINED) ?? []) sink(name, false);
}

/** Names of files in a text, without their folders: words with dots in between. */
export function eachFileName(text: string, sink: PieceSink<string>): void {
  let from = 0;
  for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', Math.max(from, dot + 1))) {
    let start = dot;
    while (start > from && isFileNameCode(text.charCodeAt(start - 1))) start -= 1;
    let end = dot;
    while (text.charCodeAt(end) === DOT && isFileNameCode(text.charCodeAt(end + 1))) {
      end += 1;
      while (isFileNameCode(text.charCodeAt(end))) end += 1;
    }
    if (start === dot || end === dot) continue;
    from = end;
    sink(text.slice(start, end));
  }
}

/** No pieces yet. */
export function createPieces() {
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
    names: (text: string, tools: ReadonlySet<string>): readonly number[] => {
      const found: string[] = [];
      eachName(withoutForeignNames(text), (name) => found.push(name));
      const own = found.filter((name) => !tools.has(plainToolName(name)));
      return [...new Set(own.map((name) => numberIn(names, name)))];
    },
    /** Without those that many projects have; in a path, with any ending. */
    fileNames: (text: string, isPath = false): readonly number[] => {
      const found = new Set<number>();
      eachFileName(text, (name) => {
        if (CONVENTIONAL.test(name) || !(isPath || FILE.test(name))) return;
        const piece = numberIn(files, name);
        named.add(piece);
        found.add(piece);
      });
      return [...found];
    },
    fact: (value: string) => numberIn(facts, value),
    /** Of a text that shows these files, by their names; where none is named, it may show any. */
    in: (text: string, shown: readonly string[] = []): readonly number[] => {
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
    /** Tests if several files have a line, so that it tells of none of them; of a name, if it only ever is a member of something. */
    isCommon: (piece: number) => lines.isCommon(piece) ?? !named.has(piece),
    wordsOf: (piece: number) => words[piece] ?? '',
    size: () => words.length,
    /** Keeps no lines of texts any more: those of the session have been seen. */
    forget: () => {
      read = undefined;
    },
  };
}

function isWordCode(code: number): boolean {
  if (code > LAST_ASCII) return code >= FIRST_LETTER && !(code >= 0x2000 && code < FIRST_IDEOGRAPH);
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === UNDERSCORE
  );
}

function hasLetters(line: string): boolean {
  let letters = 0;
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    if (code > LAST_ASCII) return (line.match(LETTER)?.length ?? 0) >= MIN_LINE_LETTERS;
    if (isWordCode(code) && code !== UNDERSCORE) letters += 1;
    if (letters === MIN_LINE_LETTERS) return true;
  }
  return false;
}

function isFileNameCode(code: number): boolean {
  return (
    code <= LAST_ASCII && (isWordCode(code) || code === AT || code === PLUS || code === HYPHEN)
  );
}

function isRare(name: string): boolean {
  if (name.length > MAX_NAME) return false;
  if (name.charCodeAt(0) <= 57) return true;
  const components = name.match(COMPONENT)?.length ?? 0;
  if (components >= 3) return name.length >= MIN_NAME_OF_THREE;
  return components === 2 && name.length >= MIN_NAME;
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
