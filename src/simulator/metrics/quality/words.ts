/** Words of a text in order, each from where to where, and how far into the text it lies. */
export interface ScannedWords {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Words before it; a character of a script without spaces is half a word. */
  readonly at: readonly number[];
}

/** Digits that are grouped for the eye: commas, thin blanks, apostrophes and underscores between threes. */
const GROUPED =
  /(?<![\p{L}\p{N}_.,])\d{1,3}(?:([,_'\u00A0\u202F])\d{3})(?:\1\d{3})*(?![\p{L}\p{N}_])/gu;
const SEPARATORS = /[,_'\u00A0\u202F]/g;
/** Characters that nobody sees: without width, or for where a word may be parted. */
const UNSEEN = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;
/** Hyphens that look like the one of keyboards. */
const HYPHENS = /[\u2010\u2011]/g;
/** Marks that stand around words and mean nothing: quotation marks and the emphasis of Markdown. */
const MARKS = /["“”„«»「」『』`]|\*\*/g;
const CURLY = /[‘’]/g;
/** A single quotation mark that is no apostrophe. */
const QUOTE = /(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu;
const BACKSLASH = /(?<=[\w.:])\\(?=[\w.])/g;
const HERE = /(?<![\w./])\.\//g;
const BLANKS = /[^\S\n]+/g;
const LINE_END = / ?\n ?/g;
/** As Markdown writes an underscore that is no emphasis. */
const ESCAPED = /\\_/g;
/** Characters to either side of a backslash that may belong to its path. */
const REACH = 100;

/** What most values are like: nothing in them is changed but capitals. */
const PLAIN = /^\w[\w-]*(?:[ /.][\w-]+)*$/;

/** Units of numbers, normalised. */
export const UNITS =
  'ms s sec seconds min minutes hours days kb kib mb mib gb gib tb tib bytes tokens requests rows lines px % usd rpm qps hz k m'.split(
    ' ',
  );
/** A number, in groups of digits or not, and its unit. Nobody groups longer ones. */
const AMOUNT =
  /^(?<whole>\d{1,3}(?:(?<mark>[,_' ])\d{3})(?:\k<mark>\d{3}){0,12}|\d{1,40})(?<fraction>\.\d{1,40})?(?: ?(?<unit>[a-z%]+|[\u3040-\u30ff\u4e00-\u9fff]{1,6}))?$/;
const VERSION = /^v?\d+(?:\.\d+)+$/;
const GROUP_MARKS = [',', ' ', '_', "'"];
/** Groups digits as well, but may part a fraction from the whole. */
const POINT = '.';
const LEAST_GROUPED = 4;
/** Between digits, where threes are left. */
const GROUP_ENDS = /(?<=\d)(?=(?:\d{3})+$)/g;
/** Units that are written out or not, and as other languages have them. */
const SPELLINGS: readonly (readonly string[])[] = [
  ['ms', 'msec', 'millisecond', 'milliseconds', '毫秒', 'ミリ秒'],
  ['s', 'sec', 'secs', 'second', 'seconds', '秒'],
  ['min', 'mins', 'minute', 'minutes', '分', '分钟', '分鐘'],
  ['h', 'hr', 'hrs', 'hour', 'hours', '小时', '小時', '時間'],
  ['days', 'day', '天'],
  ['bytes', 'byte', 'b', '字节', 'バイト'],
  ['%', 'percent', 'pct', 'パーセント'],
];
const NO_UNIT = '';
/** What may stand between a number and its unit. */
const GAPS = ['', ' ', '-'];

/** What a character is part of. */
const [UNKNOWN, OTHER, WORD, ALONE, SUFFIX] = [0, 1, 2, 3, 4];

/** Share of a word that one character of a script without spaces is. */
const ALONE_WEIGHT = 0.5;
const ASCII_END = 128;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** First and last characters of scripts that put no space between words. */
export const UNSPACED = [
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xd840, 0xd888],
  [0xf900, 0xfaff],
] as const;

/** First and last characters of scripts that put no space between a name in Latin letters and what they write onto it. */
export const ONTO_NAMES = [
  [0x0e00, 0x0eff],
  [0x1000, 0x11ff],
  [0x1780, 0x17ff],
  [0x3130, 0x318f],
  [0xac00, 0xd7af],
] as const;

/** Kinds of characters that were met, by their codes. */
const KINDS = new Uint8Array(0x1_00_00);

/** A text whose paths have one kind of slashes. */
export function toSlashes(text: string): string {
  return text
    .replaceAll(ESCAPED, (found, at: number) => (isInPath(text, at) ? found : '_'))
    .replaceAll(BACKSLASH, '/');
}

/** A text whose characters have one width, with one kind of hyphens and none that cannot be seen. */
export function toPlainCharacters(text: string): string {
  return text.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(HYPHENS, '-');
}

/**
 * A text in which the same things are written the same way: one case, one width, one kind of blanks and slashes, no
 * marks around words.
 */
export function normaliseText(text: string): string {
  const words = toPlainCharacters(text.replaceAll('\r', ''))
    .toLowerCase()
    .replaceAll(CURLY, "'")
    .replaceAll(MARKS, '')
    .replaceAll(QUOTE, '');
  return toSlashes(words).replaceAll(HERE, '').replaceAll(BLANKS, ' ').replaceAll(LINE_END, '\n');
}

/** What a value is compared by: normalised, and without blanks at its ends. */
export function normaliseValue(value: string): string {
  if (PLAIN.test(value)) return value.toLowerCase();
  return normaliseText(value).replaceAll('\n', ' ').trim();
}

/** A text in which no digits are grouped. */
export function ungroup(text: string): string {
  return text.replaceAll(GROUPED, (number) => number.replaceAll(SEPARATORS, ''));
}

/**
 * The same value as others write it: a number with its digits in groups or not, with a blank before its unit or
 * without, the unit in full or short; a version with its letter or without.
 */
export function variantsOf(value: string): readonly string[] {
  const all = VERSION.test(value)
    ? [value.startsWith('v') ? value.slice(1) : `v${value}`]
    : amountForms(value);
  return all.filter((form) => form !== value);
}

/** The words of a text; where a script has no spaces, each character is one. */
export function scanWords(text: string): ScannedWords {
  const starts: number[] = [];
  const ends: number[] = [];
  const at: number[] = [];
  let before = 0;
  for (let start = 0; start < text.length; ) {
    const kind = kindOf(text.charCodeAt(start));
    const end = isInWord(kind) ? endOfWord(text, start, kind) : start + 1;
    if (kind !== OTHER) {
      starts.push(start);
      ends.push(end);
      at.push(before);
      before += isInWord(kind) ? 1 : ALONE_WEIGHT;
    }
    start = end;
  }
  return { starts, ends, at };
}

/** Whether a character belongs to a word of several. */
export function isWordCharacter(character: string | undefined): boolean {
  return isInWord(kindOfCharacter(character));
}

/** Whether two characters beside one another belong to one word. */
export function isOneWord(one: string | undefined, other: string | undefined): boolean {
  return isWordCharacter(one) && kindOfCharacter(one) === kindOfCharacter(other);
}

/** Whether the word has backslashes that Markdown does not need. */
function isInPath(text: string, at: number): boolean {
  const before = /\S*$/.exec(text.slice(Math.max(0, at - REACH), at))?.[0] ?? '';
  const after = /^\S*/.exec(text.slice(at, at + REACH))?.[0] ?? '';
  return /\\(?!_)/.test(before + after);
}

function amountForms(value: string): readonly string[] {
  const { whole, fraction = '', unit } = AMOUNT.exec(value)?.groups ?? {};
  if (whole === undefined) return [];
  const digits = whole.replaceAll(/\D/g, '');
  const isBare = fraction === '' && unit === undefined;
  const marks = isBare ? [...GROUP_MARKS, POINT] : GROUP_MARKS;
  const grouped =
    digits.length < LEAST_GROUPED ? [] : marks.map((mark) => digits.replaceAll(GROUP_ENDS, mark));
  const tails = spellingsOf(unit).flatMap((one) =>
    one === NO_UNIT ? [one] : GAPS.map((gap) => gap + one),
  );
  return [digits, ...grouped].flatMap((start) => tails.map((tail) => start + fraction + tail));
}

function spellingsOf(unit = NO_UNIT): readonly string[] {
  return SPELLINGS.find((spellings) => spellings.includes(unit)) ?? [unit];
}

function kindOf(code: number): number {
  const known = KINDS[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const kind = findKind(code);
  KINDS[code] = kind;
  return kind;
}

function findKind(code: number): number {
  if (code < ASCII_END) return /\w/.test(String.fromCharCode(code)) ? WORD : OTHER;
  if (isIn(UNSPACED, code)) return ALONE;
  if (isIn(ONTO_NAMES, code)) return SUFFIX;
  return LETTER.test(String.fromCharCode(code)) ? WORD : OTHER;
}

function isIn(ranges: typeof UNSPACED | typeof ONTO_NAMES, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}

function isInWord(kind: number): boolean {
  return kind === WORD || kind === SUFFIX;
}

function endOfWord(text: string, start: number, kind: number): number {
  let end = start + 1;
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end += 1;
  return end;
}

function kindOfCharacter(character = ''): number {
  return character === '' ? OTHER : kindOf(character.charCodeAt(0));
}
