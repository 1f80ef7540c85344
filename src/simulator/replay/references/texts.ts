type PieceSink<Piece> = (piece: Piece) => void;

/** Receives a row of ten words: a number that stands for it, and the range of its text. */
type PhraseSink = (key: number, start: number, end: number) => void;

interface Words {
  readonly hashes: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Words in a row that hardly occur twice by chance. */
const PHRASE_WORDS = 10;
/** A row of equal words identifies nothing. */
const MIN_DIFFERENT_WORDS = 6;

const MIN_LINE = 8;
const MIN_LINE_LETTERS = 4;
const MIN_NAME = 11;
const MIN_NAME_OF_THREE = 8;
const MAX_NAME = 80;

const LINE_MARK =
  /^\s*(?:(?:[\w@.~*-]*\/)*[\w@.~-]+\.\w{1,8}[:-])?(?:L?\d+(?:→|\t|\||:|-)\s?(?:\d+[:-])?)?/;
const FIRST_OF_MARK = /^\s*(?:L?\d)/;
const BEHIND_FILE = /[:-]/;
const LETTER = /[\p{L}\p{N}]/gu;
const WIDE_SPACE = /\s\s|[^\S ]/;
const REMINDER = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;

const NAME = /[A-Za-z_$][\w$]{6,}/g;
/** Components of a name: `fetch_tree_data` and `FetchTreeData` have three. */
const COMPONENT = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** Lines that are nobody's own: imports and trailers of commits. */
const FOREIGN_LINES = new RegExp(
  [
    String.raw`^[ \t]*(?:import|from|export \*|export \{|package|require|use|using|#include)\b.*$`,
    String.raw`^[ \t]*(?:\w+[ \t]+)?"[\w.@/-]+"[ \t]*$`,
    String.raw`^.*(?:Co-Authored-By|Signed-off-by|Reviewed-by|Generated with).*$`,
  ].join('|'),
  'gm',
);

/** Words that are nobody's own: links, paths, domains, files, members of standard packages. */
const FOREIGN_WORDS = new RegExp(
  // Each begins where a word does: a long one is not gone through from each of its letters.
  [
    String.raw`https?:\/\/[^\s"'\`)>]+`,
    String.raw`(?<![\w@.~$*{}-])[\w@.~$*{}-]*(?:\/[\w@.~$*{}[\]-]+)+`,
    String.raw`(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|io|dev|net|ai)\b`,
    String.raw`(?<![\w@+.-])[\w@+.-]+\.(?:go|[cm]?[jt]sx?|json|md|py|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|ya?ml|toml|lock|txt|html|s?css|sql|proto|mod|sum)\b`,
    String.raw`\b(?:fmt|os|io|json|strings|filepath|path|fs|bytes|errors|time|strconv|sort|slices|maps|sync|context|bufio|http|regexp|exec|testing|t|assert|require|expect|vi|jest|math|Math|JSON|Object|Array|Promise|Number|String|process|console|document|window|sys|re|np|pd|logging|datetime|std|self)\.\w+`,
    String.raw`\bnode_modules\b`,
  ].join('|'),
  'g',
);

const PRIME = 0x01000193;
const OTHER_PRIME = 0x5bd1e995;
const WEIGHT = power(PRIME);
const OTHER_WEIGHT = power(OTHER_PRIME);
/** Two hashes of 32 bits make a whole number of 52. */
const KEY_SHIFT = 2 ** 20;
const KEY_DROP = 12;
const LAST_ASCII = 0x7f;
const SLASH = 0x2f;
const DOT = 0x2e;
const AT = 0x40;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const FIRST_LETTER = 0xc0;
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7a3;

/** A text without lines that stand in everybody's texts. */
export function withoutForeignLines(text: string): string {
  return text.replace(FOREIGN_LINES, '');
}

/** A text without names of others, for finding those that are the session's own. */
export function withoutForeignNames(text: string): string {
  return withoutForeignLines(text).replace(FOREIGN_WORDS, ' ');
}

/** An output without notes of the harness. */
export function withoutReminders(text: string): string {
  return text.includes('<system-reminder>') ? text.replace(REMINDER, '') : text;
}

/** Lines of a text that say something, without numbers in front and with single spaces. */
export function eachLine(text: string, sink: PieceSink<string>): void {
  for (const raw of text.split('\n')) {
    if (raw.length < MIN_LINE) continue;
    const own = (mayBeMarked(raw) ? raw.replace(LINE_MARK, '') : raw).trim();
    if (own.length < MIN_LINE) continue;
    const line = WIDE_SPACE.test(own) ? own.replace(/\s+/g, ' ') : own;
    if (line.length >= MIN_LINE && hasLetters(line)) sink(line);
  }
}

/** Identifiers of a text that are rare by their form: three components, or two and eleven characters. */
export function eachName(text: string, sink: PieceSink<string>): void {
  eachWord(text, (name) => {
    if (isRare(name)) sink(name);
  });
}

/** Identifiers of a text that are long enough to be rare. */
export function eachWord(text: string, sink: PieceSink<string>): void {
  for (const name of text.match(NAME) ?? []) sink(name);
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

/** All rows of ten words of a text that are not always the same words. */
export function eachPhrase(text: string, sink: PhraseSink): void {
  const words = wordsOf(text);
  eachRow(words, (key, first) => {
    if (!isVaried(words.hashes, first)) return;
    sink(key, words.starts[first] ?? 0, words.ends[first + PHRASE_WORDS - 1] ?? 0);
  });
}

/** The numbers of all rows of ten words of a text. */
export function eachRowKey(text: string, sink: PieceSink<number>): void {
  eachRow(wordsOf(text), sink);
}

/** The last name of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function eachRow({ hashes }: Words, sink: (key: number, first: number) => void): void {
  let [one, other] = [0, 0];
  for (let index = 0; index < hashes.length; index += 1) {
    const came = hashes[index] ?? 0;
    const gone = index < PHRASE_WORDS ? 0 : (hashes[index - PHRASE_WORDS] ?? 0);
    one = (Math.imul(one, PRIME) + came - Math.imul(gone, WEIGHT)) | 0;
    other = (Math.imul(other, OTHER_PRIME) + came - Math.imul(gone, OTHER_WEIGHT)) | 0;
    if (index < PHRASE_WORDS - 1) continue;
    sink((one >>> 0) * KEY_SHIFT + (other >>> KEY_DROP), index - PHRASE_WORDS + 1);
  }
}

function wordsOf(text: string): Words {
  const words = { hashes: [] as number[], starts: [] as number[], ends: [] as number[] };
  let start = -1;
  let hash = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 0;
    const isIdeograph = code >= FIRST_IDEOGRAPH && code <= LAST_IDEOGRAPH;
    if (start >= 0 && (isIdeograph || !isWordCode(code)) && !joinsWords(text, index)) {
      addWord(words, hash, [start, index]);
      start = -1;
    }
    if (isIdeograph) addWord(words, Math.imul(code, PRIME), [index, index + 1]);
    else if (isWordCode(code)) {
      if (start < 0) [start, hash] = [index, PRIME];
      hash = Math.imul(hash ^ lower(code), PRIME);
    }
  }
  return words;
}

function addWord(
  words: { hashes: number[]; starts: number[]; ends: number[] },
  hash: number,
  [start, end]: readonly [number, number],
): void {
  words.hashes.push(hash);
  words.starts.push(start);
  words.ends.push(end);
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

/** A path is one word. */
function joinsWords(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === SLASH && isWordCode(text.charCodeAt(index + 1));
}

function lower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Looks no further than the words that are enough. */
function isVaried(hashes: readonly number[], start: number): boolean {
  let different = 0;
  for (let index = start; index < start + PHRASE_WORDS; index += 1) {
    let earlier = start;
    while (hashes[earlier] !== hashes[index]) earlier += 1;
    if (earlier === index) different += 1;
    if (different === MIN_DIFFERENT_WORDS) return true;
  }
  return false;
}

function mayBeMarked(line: string): boolean {
  return FIRST_OF_MARK.test(line) || (line.includes('.') && BEHIND_FILE.test(line));
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
  const components = name.match(COMPONENT)?.length ?? 0;
  if (components >= 3) return name.length >= MIN_NAME_OF_THREE;
  return components === 2 && name.length >= MIN_NAME;
}

function power(base: number): number {
  let result = 1;
  for (let count = 0; count < PHRASE_WORDS; count += 1) result = Math.imul(result, base);
  return result;
}
