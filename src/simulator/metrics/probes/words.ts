/** Words of a text in order, each from where to where, and how far into the text it lies. */
export interface ScannedWords {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Words before it; a character of a script without spaces is half a word. */
  readonly at: readonly number[];
}

/** A name or a number that means one thing and cannot be put in other words. */
export interface Entity {
  readonly type: EntityType;
  /** Normalised. */
  readonly value: string;
  /** As in the text. */
  readonly text: string;
  /** Start position in the text. */
  readonly start: number;
}

/** The kind of a name or number. */
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Digits that are grouped for the eye: commas, thin blanks, apostrophes and underscores between threes. */
const GROUPED =
  /(?<![\p{L}\p{N}_.,])\d{1,3}(?:([,_'\u00A0\u202F])\d{3})(?:\1\d{3})*(?![\p{L}\p{N}_])/gu;
const SEPARATORS = /[,_'\u00A0\u202F]/g;
/** Invisible characters: without width, or soft hyphens. */
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

/** Plain values, of which only the case is normalised. */
const PLAIN = /^\w[\w-]*(?:[ /.][\w-]+)*$/;

/** Units of numbers, normalised. */
export const UNITS =
  'ms s sec seconds min minutes hours days kb kib mb mib gb gib tb tib bytes tokens requests rows lines px % usd rpm qps hz k m'.split(
    ' ',
  );
/** A number and its unit, with or without grouped digits. */
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
/** Separators of a number from its unit. */
const GAPS = ['', ' ', '-'];

/** Classes of characters. */
const [UNKNOWN, OTHER, WORD, ALONE, SUFFIX] = [0, 1, 2, 3, 4];

/** Share of a word that one character of a script without spaces is. */
const ALONE_WEIGHT = 0.5;
const ASCII_END = 128;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** First and last characters of scripts that put no space between words. */
const UNSPACED = [
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xd840, 0xd888],
  [0xf900, 0xfaff],
] as const;

/** First and last characters of scripts that put no space between a name in Latin letters and what they write onto it. */
const ONTO_NAMES = [
  [0x0e00, 0x0eff],
  [0x1000, 0x11ff],
  [0x1780, 0x17ff],
  [0x3130, 0x318f],
  [0xac00, 0xd7af],
] as const;

/** Kinds of characters that were met, by their codes. */
const KINDS = new Uint8Array(0x1_00_00);

/** Kinds of names and numbers. */
const ENTITY_TYPES = ['url', 'path', 'version', 'error', 'id', 'hash', 'symbol', 'number'] as const;

/** No file system has longer names; without an end, a row of signs would be gone through from each of them. */
const SEGMENT = String.raw`[\p{L}\p{N}_.@+~-]{0,254}[\p{L}\p{N}_]`;
const EXTENSION =
  '(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|sh|sql|json[cl]?|ya?ml|toml|md|txt|html?|css|scss|vue|svelte|lock|cfg|ini|env|xml|csv|log|proto|graphql|ipynb|dockerfile)';
const START = String.raw`(?<![\p{L}\p{N}_@/.−-])`;
const END = String.raw`(?![\p{L}\p{N}_])`;
const UNIT = `(?:${[...UNITS, ...UNITS.map((unit) => unit.toUpperCase()), 'kB', '[KMGT]iB', 'Hz'].join('|')})`;
const UNIT_BEHIND = new RegExp(`^ ?${UNIT}${END}`, 'u');
/** Longer than any unit with what parts it from its number and from what follows. */
const UNIT_LENGTH = 12;

/** Patterns of each kind where a name may start; the first match wins. */
const NAMES = {
  path: `(?:(?:~|\\.{1,2})?/${SEGMENT}(?:/${SEGMENT})+|(?:${SEGMENT}/)+${SEGMENT}\\.[\\p{L}\\p{N}]{1,10}|(?:${SEGMENT}/){2,}${SEGMENT}|[\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]*\\.${EXTENSION})${END}`,
  version: String.raw`v?\d+\.\d+\.\d+(?:-[\w.]+)?${END}|v\d+(?:\.\d+)+${END}`,
  error: `(?:E_[A-Z0-9_]+|ERR_[A-Z0-9_]+|E[A-Z]{4,}|[A-Z]{2,5}\\d{3,5}|[A-Z][\\p{L}]*(?:Error|Exception))${END}`,
  id: `(?=[\\p{L}\\p{N}_-]*\\d)\\p{L}[\\p{L}\\p{N}_]*(?:-[\\p{L}\\p{N}_]+)+${END}`,
  hash: `(?=[0-9a-f]*\\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}${END}`,
  symbol: `(?:[a-z][\\p{L}\\p{N}]*[A-Z][\\p{L}\\p{N}]*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[\\p{L}][\\p{L}\\p{N}]*(?:_[\\p{L}\\p{N}]+)+_?|[a-z]\\w+(?=\\(\\)))${END}`,
  number: `(?:\\d+(?:\\.\\d+)?(?: ?${UNIT})${END}|\\d{4,}(?:\\.\\d+)?${END})`,
} as const satisfies Partial<Record<EntityType, string>>;

/** A URL; may start anywhere. */
const URL = String.raw`\b[a-z][a-z+]{2,8}:\/\/[^\s"'<>()\[\]{}，。、）」]*[^\s"'<>()\[\]{}，。、）」.,;:!?]`;
const TICKET = `#\\d{2,}${END}`;
const PORT = String.raw`(?<=\bport |localhost:|127\.0\.0\.1:)\d{2,5}`;

/** All kinds at once, so that a part of a longer name is not taken for another. */
const ANY = new RegExp(
  [
    `(${URL})`,
    `${START}(?:${Object.values(NAMES)
      .map((shape) => `(${shape})`)
      .join('|')})`,
    `(${TICKET})`,
    `(${PORT})`,
  ].join('|'),
  'gu',
);
/** The kind of each group of these, in their order. */
const GROUP_TYPES: readonly EntityType[] = [
  'url',
  ...(Object.keys(NAMES) as (keyof typeof NAMES)[]),
  'id',
  'number',
];

/** Names that are written like symbols and are none. */
const NO_SYMBOLS = new Set(
  'javascript typescript github gitlab postgresql mysql sqlite mongodb graphql nodejs openai macos devops webassembly youtube linkedin stackoverflow'.split(
    ' ',
  ),
);

const SCRIPT = `[${[...UNSPACED, ...ONTO_NAMES].map((range) => range.map((code) => String.fromCharCode(code)).join('-')).join('')}]`;
/** Where a script that puts no spaces there meets a name in Latin letters. */
const SCRIPT_END = new RegExp(`(?<=${SCRIPT})(?=\\w)|(?<=\\w)(?=${SCRIPT})`, 'g');

const BEHIND_DIGITS = /[^\d.].*$/;

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

/** The normalised form of a value, trimmed, for comparisons. */
export function normaliseValue(value: string): string {
  if (PLAIN.test(value)) return value.toLowerCase();
  return normaliseText(value).replaceAll('\n', ' ').trim();
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

/** Tests if a character belongs to a word of several. */
export function isWordCharacter(character: string | undefined): boolean {
  return isInWord(kindOfCharacter(character));
}

/** Tests if two adjacent characters belong to one word. */
export function isOneWord(one: string | undefined, other: string | undefined): boolean {
  return isWordCharacter(one) && kindOfCharacter(one) === kindOfCharacter(other);
}

/** All names and numbers of a text in order, as often as they stand there. */
export function* findEntities(source: string): Generator<Entity, void, undefined> {
  const text = plain(source);
  for (const match of text.matchAll(ANY)) {
    const { index } = match;
    const type = GROUP_TYPES[match.indexOf(match[0], 1) - 1];
    if (type === undefined) continue;
    const value = normaliseValue(match[0]);
    if (type === 'symbol' && NO_SYMBOLS.has(value)) continue;
    yield { type, value, text: match[0], start: index };
  }
}

/** The distinct names and numbers of a text, by normalised form. */
export function distinctEntities(source: string): ReadonlyMap<string, Entity> {
  const all = new Map<string, Entity>();
  for (const entity of findEntities(source)) {
    if (!all.has(entity.value)) all.set(entity.value, entity);
  }
  return all;
}

/** Tests if a unit follows a number that ends at a position. */
export function isBeforeUnit(text: string, end: number): boolean {
  return UNIT_BEHIND.test(text.slice(end, end + UNIT_LENGTH));
}

/** A number without its unit. */
export function withoutUnit(value: string): string {
  return value.replace(BEHIND_DIGITS, '');
}

/** A text whose characters have one width, with one kind of hyphens and none that cannot be seen. */
function toPlainCharacters(text: string): string {
  return text.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(HYPHENS, '-');
}

/** A text whose paths have one kind of slashes. */
function toSlashes(text: string): string {
  return text
    .replaceAll(ESCAPED, (found, at: number) => (isInPath(text, at) ? found : '_'))
    .replaceAll(BACKSLASH, '/');
}

/** Tests if a word has backslashes that Markdown does not need. */
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

/** One width of characters, one kind of slashes, no groups of digits, and blanks around names in Chinese sentences. */
function plain(text: string): string {
  return ungroup(toSlashes(toPlainCharacters(ungroup(text)))).replaceAll(SCRIPT_END, ' ');
}

/** A text in which no digits are grouped. */
function ungroup(text: string): string {
  return text.replaceAll(GROUPED, (number) => number.replaceAll(SEPARATORS, ''));
}
