/** Values in a text, in any spelling, and other strings that look like values. */

/** A value that is looked for, with its spellings. */
export interface SoughtValue {
  readonly key: string;
  readonly spellings: readonly string[];
}

/** A sought value, or a string that looks like one. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  /** Absent for other strings that look like values. */
  readonly key?: string;
}

/** Stands for values, whose words are none of the text. */
export const VALUE = '\uE000';

const LATIN = '\\p{Script=Latin}';
/** Names of units by their size in a basic one. */
const UNITS = {
  byte: {
    1: 'bytes?|字节|バイト',
    1e3: 'kb|kilobytes?|千字节|キロバイト',
    1024: 'kib|kibibytes?',
    1e6: 'mb|megabytes?|兆字节|兆(?!\\p{L})|メガバイト|メガ',
    1048576: 'mib|mebibytes?',
    1e9: 'gb|gigabytes?|吉字节|ギガバイト|ギガ',
    1e12: 'tb|terabytes?|テラバイト',
  },
  ms: {
    1: 'ms|msecs?|milliseconds?|millisekunden?|milisegundos?|毫秒|ミリ秒',
    1e3: 's|secs?|seconds?|sek|sekunden?|sekündige?\\w*|segs?|segundos?|秒[钟間]?',
    6e4: 'mins?|minutes?|minuten?|minütige?\\w*|minutos?|分[钟間]|分(?![支片区類类け野析割岐辨])',
    36e5: 'h|hrs?|hours?|std|stunden?|stündige?\\w*|horas?|个?小时|時間',
    864e5: 'days?|tage?n?|tägige?\\w*|días?|天|日間|日(?=[\\s。、,.)でに以のま]|$)',
    6048e5: 'weeks?|wochen?|semanas?|周|个?星期|週間?',
  },
  percent: { 1: '%|percent|per cent|prozent|por ciento|パーセント' },
};
/** Each of them is a group of the pattern. */
const SIZES = Object.entries<Readonly<Record<number, string>>>(UNITS).flatMap(([base, names]) =>
  Object.entries(names).map(([size, name]) => ({ base, size: Number(size), name })),
);
const UNIT = SIZES.map(({ name }) => `(${name.replaceAll('\\w', LATIN)})`).join('|');
const AMOUNT = new RegExp(
  `(?<![${LATIN}\\d_./月-]|\\d[.,])(\\d{1,3}(?: \\d{3})+|\\d+(?:[.,]\\d+)?)[ -]?(?:${UNIT})(?![${LATIN}\\d_])`,
  'giu',
);
const GROUPED =
  /(?<![\d.,\p{L}_-])\d{1,3}(?:(?<sign>[.,'’_])\d{3}(?:\k<sign>\d{3})*|(?:[ \u00A0\u202F]\d{3}){2,})(?![\d\p{L}_-]|[.,]\d)/gu;
const VALUE_LIKE =
  /(?<![\p{Script=Latin}\d_.])\d+(?:\.\d+)? (?:byte|ms|percent)|(?<![\p{Script=Latin}\d_])(?:[\w.~-]{0,80}\/){0,20}(?=[\w-]{0,80}\d)(?:[a-z_-][\w-]{0,80}\d|\d[\w-]{0,80}[a-z_]|\d{4,40})[\w-]{0,80}(?:\.\w{1,20}){0,3}/giu;
const COUNT = /(?<![\p{Script=Latin}\d_.,-])\d{1,3}(?![\p{Script=Latin}\d_-]|[.,]\d)/gu;
const MARKS = /[`“”„«»"『』]/g;
const DIGITS = 12;

/** Finds values in a plain text, longer spellings first; none overlap. */
export function findValues(plain: string, values: readonly SoughtValue[]): readonly FoundValue[] {
  const spellings = values
    .flatMap(({ key, spellings: own }) => own.map((one) => ({ key, spelling: plainText(one) })))
    .filter(({ spelling }) => spelling !== '')
    .toSorted((a, b) => b.spelling.length - a.spelling.length);
  const taken = new Uint8Array(plain.length);
  const found: FoundValue[] = [];
  const take = (start: number, end: number, key?: string) => {
    if (taken[start] === 1 || taken[end - 1] === 1) return;
    taken.fill(1, start, end);
    found.push({ start, end, ...(key !== undefined && { key }) });
  };
  for (const { key, spelling } of spellings) {
    for (let at = plain.indexOf(spelling); at >= 0; at = plain.indexOf(spelling, at + 1)) {
      const end = at + spelling.length;
      if (isWhole(plain, at, end)) take(at, end, key);
    }
  }
  for (const { index, 0: match } of plain.matchAll(VALUE_LIKE)) take(index, index + match.length);
  return found.toSorted((a, b) => a.start - b.start);
}

/** A string in the spelling in which values are compared. */
export function plainText(text: string): string {
  return lowered(spelled(text));
}

/** A text without marks of quoting, with its letters in their case, and each amount in its basic unit. */
export function spelled(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(MARKS, '')
    .replaceAll('’', "'")
    .replaceAll(VALUE, ' ')
    .replaceAll(GROUPED, (number) => number.replaceAll(/\D/g, ''))
    .replaceAll(AMOUNT, inBasicUnit);
}

/** In small letters, where that leaves every letter in its place. */
export function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Tests if a string can hardly stand anywhere by chance. */
export function isDistinctive(value: string): boolean {
  const plain = plainText(value);
  if (unitOf(plain) !== undefined) return false;
  return /\d{5}|\p{L}.*\d|\d.*\p{L}|[/\\_]/u.test(plain) || plain.length >= 12;
}

/** The basic unit of a plain amount. */
export function unitOf(plain: string): string | undefined {
  return /^\d+(?:\.\d+)? ([a-z]+)$/.exec(plain)?.[1];
}

function inBasicUnit(written: string, number: string, ...units: readonly (string | undefined)[]) {
  const unit = SIZES[units.findIndex((one) => one !== undefined)];
  const amount = Number(number.replaceAll(' ', '').replace(',', '.')) * (unit?.size ?? 1);
  return `${Number(amount.toPrecision(DIGITS))} ${unit?.base ?? written}`;
}

function isWhole(plain: string, start: number, end: number): boolean {
  const before = plain.slice(Math.max(0, start - 1), start);
  const after = plain.slice(end, end + 2);
  const first = plain.charAt(start);
  const last = plain.charAt(end - 1);
  if (/[\p{Script=Latin}\d_]/u.test(first) && /[\p{Script=Latin}\d_]/u.test(before)) return false;
  if (!isDistinctive(plain.slice(start, end)) && /[-.]/.test(before)) return false;
  if (last === '_' || !/[\p{Script=Latin}\d]/u.test(last)) return true;
  return !/^[\p{Script=Latin}\d_]|^[-./][\p{Script=Latin}\d]/u.test(after);
}
