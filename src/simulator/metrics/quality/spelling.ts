/** The spelling in which values are compared: amounts, times and dates of any language in one form. */

import WORDS from './value-words.json' with { type: 'json' };

type Rewrite = readonly [
  RegExp,
  (written: string, ...parts: readonly (string | undefined)[]) => string,
];

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
  '': { 1e3: 'k|tsd\\.?|tausend|thousand|千', 1e4: '万|萬' },
  percent: { 1: '%|percent|per cent|prozent|por ciento|パーセント' },
};
/** Each is a group of the pattern. */
const SIZES = Object.entries<Readonly<Record<number, string>>>(UNITS).flatMap(([base, names]) =>
  Object.entries(names).map(([size, name]) => ({ base, size: Number(size), name })),
);
const UNIT = SIZES.map(({ name }) => `(${name.replaceAll('\\w', LATIN)})`).join('|');
/** Words in the place of a number. */
const FRACTIONS: readonly (readonly [string, number])[] = [
  ['(?:half an?|(?:eine? )?halbe[sr]?|medi[ao])(?= )|半个?', 0.5],
  ['(?:a quarter(?: of an?)?|ein viertel|un cuarto de)(?= )|四分之一个?|四分の一', 0.25],
  ['(?:anderthalb|eineinhalb|one and a half)(?= )|一个?半', 1.5],
  ['(?:one|an?(?! s)|eine?[rsn]?|una?)(?= )', 1],
];
const FRACTION = FRACTIONS.map(([words]) => words).join('|');
const AMOUNT = new RegExp(
  `(?<![${LATIN}\\d_./月-]|\\d[.,])(\\d{1,3}(?: \\d{3})+|\\d+(?:[.,]\\d+)?|${FRACTION})[ -]?(?:${UNIT})(?![${LATIN}\\d_])`,
  'giu',
);
const GROUPED =
  /(?<![\d.,\p{L}_-])\d{1,3}(?:(?<sign>[.,'’_])\d{3}(?:\k<sign>\d{3})*|(?:[ \u00A0\u202F]\d{3}){2,})(?![\d\p{L}_-]|[.,]\d)/gu;
const HAN = '〇一二三四五六七八九';
const HAN_NUMBER =
  /(?<![一二两三四五六七八九十百千那这同某])([二三四五六七八九]?十)?([一二两三四五六七八九])?(?=个?(?:分[钟間]|分(?=ご|以|で|お|に|$|後|毎)|秒|小时|時間|天|日間|周|週間|[点點時]半|[点點][钟整]?|次|回|倍|名|個|つ|文字|字符|件|条|位|%|か月|个))/gu;
const CLOCK = `(?<![${LATIN}\\d:./])(\\d{1,2})`;
/** Hours, and the minutes told with them where they are not digits. */
const CLOCKS: readonly (readonly [string, number])[] = [
  ['half past (\\d{1,2})|(\\d{1,2}) y media|(\\d{1,2})[点點時]半', 30],
  ['halb (\\d{1,2})', -30],
  ['(?:quarter past|viertel nach) (\\d{1,2})|(\\d{1,2}) y cuarto', 15],
  ['(?:quarter to|viertel vor) (\\d{1,2})', -15],
  [`${CLOCK}(?::|[点點時h]| Uhr |[.](?=\\d\\d Uhr))([0-5]\\d)分?(?![\\d:])`, 0],
  [`${CLOCK}(?:[点點]钟?| Uhr|時(?!間))`, 0],
];
const NUMBERS = numbered(WORDS.numbers);
const TENS = numbered(WORDS.tens);
const MONTHS = numbered(WORDS.months);
const WEEKDAYS = numbered(WORDS.weekdays);
const MONTH = [...MONTHS.keys()].join('|');
const DIGITS = 12;
const MINUTES = 60;

/** What is written in many ways, and the way in which it is compared; each with a unit behind the number. */
const REWRITES: readonly Rewrite[] = [
  [/[`“”„«»"『』]/g, () => ''],
  [/’/g, () => "'"],
  [/\uE000/g, () => ' '],
  [GROUPED, (number) => number.replaceAll(/\D/g, '')],
  [HAN_NUMBER, hanNumber],
  [
    /百分之(?=\d|[一二三四五六七八九十])([一二三四五六七八九十]+|\d+)/g,
    (_, share = '') =>
      `${/\d/.test(share) ? share : hanNumber(share, /十/.test(share) ? share.slice(0, share.indexOf('十') + 1) : '', share.replace(/.*十/, ''))}%`,
  ],
  [/(?<=\p{L})mal(?!\p{L})/giu, () => ' mal'],
  [anyOf(NUMBERS), (word) => String(NUMBERS.get(word.toLowerCase()))],
  [anyOf(TENS), (word) => String(10 * (TENS.get(word.toLowerCase()) ?? 0))],
  [anyOf(WEEKDAYS), (word) => `${WEEKDAYS.get(word.toLowerCase())} weekday`],
  [/\d{4}-(\d\d)-(\d\d)(?![\d-])/g, (_, month, day) => date(month, day)],
  [/(?<![\d.])(\d{1,2})\. ?(\d{1,2})\.(?!\d\d?\.|\d{1,3}\b)/g, (_, day, month) => date(month, day)],
  [/(\d{1,2})月(\d{1,2})[日号]/g, (_, month, day) => date(month, day)],
  [
    new RegExp(`(?<![\\d.])(\\d{1,2})(?:\\.|th|st|nd|rd| de| of)? (${MONTH})(?!\\p{L})`, 'giu'),
    (_, day, month = '') => date(MONTHS.get(month.toLowerCase()), day),
  ],
  [
    new RegExp(`(?<!\\p{L})(${MONTH}) (\\d{1,2})(?:th|st|nd|rd)?(?![\\p{L}\\d])`, 'giu'),
    (_, month = '', day) => date(MONTHS.get(month.toLowerCase()), day),
  ],
  ...CLOCKS.map(([pattern, minutes]): Rewrite => [new RegExp(pattern, 'giu'), clockAt(minutes)]),
  [AMOUNT, inBasicUnit],
];

/** A string in the spelling in which values are compared. */
export function plainText(text: string): string {
  return lowered(spelled(text));
}

/** The same with letters in their case. */
export function spelled(text: string): string {
  return REWRITES.reduce(
    (plain, [pattern, rewrite]) => plain.replaceAll(pattern, rewrite),
    text.normalize('NFKC'),
  );
}

/** In small letters, where that leaves every letter in its place. */
export function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The basic unit of a plain amount. */
export function unitOf(plain: string): string | undefined {
  return /^\d+(?:\.\d+)? ([a-z]+)$/.exec(plain)?.[1];
}

/** Each word of some lists by its place in its list. */
function numbered(lists: readonly string[]): ReadonlyMap<string, number> {
  const words = lists.flatMap((list) => list.split(' ').map((word, at) => [word, at] as const));
  return new Map(words.filter(([word]) => word !== '-'));
}

function anyOf(words: ReadonlyMap<string, number>): RegExp {
  const [latin, others] = [true, false].map((is) =>
    [...words.keys()].filter((word) => /[a-z]/.test(word) === is).join('|'),
  );
  return new RegExp(`(?<![\\p{L}\\d-])(?:${latin})(?![\\p{L}\\d])${others && `|${others}`}`, 'giu');
}

function hanNumber(written: string, tens = '', ones = ''): string {
  if (written === '') return '';
  const [ten, one] = [tens.replace('十', ''), ones.replace('两', '二')];
  const high = tens === '' ? 0 : ten === '' ? 1 : HAN.indexOf(ten);
  return String(10 * high + Math.max(0, HAN.indexOf(one || '〇')));
}

function date(month: string | number | undefined, day: string | undefined): string {
  return `${Number(month) * 100 + Number(day)} date`;
}

function clockAt(told: number): Rewrite[1] {
  return (_, ...parts) => {
    const [hour, minutes] = parts.slice(0, -2).filter((part) => part !== undefined);
    return `${Number(hour) * MINUTES + Number(minutes ?? told)} clock`;
  };
}

function inBasicUnit(written: string, number = '', ...parts: readonly (string | undefined)[]) {
  const unit = SIZES[parts.findIndex((part) => part !== undefined)];
  const fraction = FRACTIONS.find(([words]) =>
    new RegExp(`^(?:${words.replace('(?= )', '')})$`, 'iu').test(number),
  )?.[1];
  const amount =
    (fraction ?? Number(number.replaceAll(' ', '').replace(',', '.'))) * (unit?.size ?? 1);
  return `${Number(amount.toPrecision(DIGITS))} ${unit?.base ?? written}`.trimEnd();
}
