/** The spelling in which values are compared: amounts, times and dates of any language in one form. */

import { remembered } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import WORDS from './value-words.json' with { type: 'json' };

type Parts = readonly (string | undefined)[];
type Rewrite = readonly [RegExp, (written: string, ...parts: Parts) => string];

const NOT_IN_WORD = '(?<![\\p{Script=Latin}\\d_./月-]|\\d[.,])';
/** Each unit is a group of the pattern. */
const UNITS = Object.entries<Readonly<Record<string, string>>>(WORDS.units).flatMap(
  ([base, names]) =>
    Object.entries(names).map(([size, name]) => ({ base, size: Number(size), name })),
);
const FRACTIONS = Object.entries(WORDS.fractions);
const MONTHS = WORDS.months.split(' ');
const ONES = WORDS.ones.split(' ');
const TENS = WORDS.tens.split(' ');
const ONE = `(${ONES.join('|')})`;
const TEN = `(${TENS.join('|')})`;
const NUMBER = `\\d{1,3}(?: \\d{3})+|\\d+(?:[.,]\\d+)?|${FRACTIONS.map(([, words]) => words).join('|')}`;
const UNIT = UNITS.map(({ name }) => `(${name})`).join('|');
const MONTH = `(${MONTHS.join('|')})(?!\\p{L})`;
const HAN = '〇一二三四五六七八九';
const HAN_NUMBER =
  /(?<![一二两三四五六七八九十百千那这同某])([二三四五六七八九]?十)?([一二两三四五六七八九])?(?=个?(?:分[钟間]|分(?=ご|以|で|お|に|$)|秒|小时|時間|天|日間|周|週間|[点點時分]半|[点點]|次|回|倍|名|個|つ|文字|字符|件|条|位|%|パー|个|人|本|枚|台|行|页|頁|ペ|[百千万割成]|[かカヶケ]月))/gu;
const GROUPED =
  /(?<![\d.,\p{Script=Latin}_-])\d{1,3}(?:(?<sign>[.,'’_])\d{3}(?:\k<sign>\d{3})*|(?:[ \u00A0\u202F]\d{3}){2,})(?![\d\p{Script=Latin}_-]|[.,]\d)/gu;
const CLOCK = '(?<![\\p{Script=Latin}\\d:./])(\\d{1,2})';
const MOST_DIGITS = 12;
const SWITCHES = Object.values(WORDS.switches).map((words) => ({
  words,
  pattern: new RegExp(`(?<!\\p{Script=Latin})(?:${words})(?!\\p{Script=Latin})`, 'iu'),
}));
const MINUTES = 60;
const THOUSAND = 1000;
const STEP = 1024;

/** What is written in many ways, and the way in which it is compared, with its unit behind the number. */
const REWRITES: readonly Rewrite[] = [
  [/[`“”„«»"『』]/g, () => ''],
  [/’/g, () => "'"],
  [/\uE000/g, () => ' '],
  [GROUPED, (number) => number.replaceAll(/\D/g, '')],
  [/(?<![\d.,\p{L}])0,(\d+)(?![\d,.])/gu, (_, tenths) => `0.${tenths}`],
  [/百分之([\d一二三四五六七八九十]+)/g, (_, share) => `${share}%`],
  [HAN_NUMBER, hanNumber],
  [/([\d一二三四五六七八九])[割成](?![不为立功员果])/g, (_, tenths) => `${tenths}0%`],
  [
    patternOf(`(?<!\\p{L})(?:${ONE}und${TEN}|${TEN}(?:-| y | )${ONE})(?!\\p{L})`),
    (_, ones, high, tens, low) =>
      `${(indexIn(TENS, high ?? tens) + 2) * 10 + indexIn(ONES, ones ?? low) + 1}`,
  ],
  [
    patternOf(`(?<!\\p{L})(?:${ONE}|(\\d+))(?:einhalb| and a half| y medi[ao])(?!\\p{L})`),
    (_, word, number) => `${number ?? indexIn(ONES, word) + 1}.5`,
  ],
  [patternOf('(\\d) ?(分|秒|小时|時間|个月)[钟間]?半'), (_, number, unit) => `${number}.5 ${unit}`],
  [
    patternOf(
      '(?:(?:an?|one|un[ao]?|eine?) )?(minut[eo]|hour|hora|second|segundo) (?:and a half|y medi[ao])',
    ),
    (_, unit) => `1.5 ${unit}`,
  ],
  ...rewritesOf(WORDS.numbers, (at) => `${at + 2}`),
  ...rewritesOf(WORDS.hundreds, (at) => `${(at + 1) * 100}`),
  ...rewritesOf(WORDS.tens, (at) => `${(at + 2) * 10}`),
  ...rewritesOf(WORDS.weekdays, (at) => `${at + 1} weekday`),
  [/\d{4}-(\d\d)-(\d\d)(?![\d-])/g, (_, month, day) => date(month, day)],
  [/(?<![\d.])(\d{1,2})\. ?(\d{1,2})\.(?! ?\d)/g, (_, day, month) => date(month, day)],
  [/(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]/g, (_, month, day) => date(month, day)],
  [
    patternOf(`(?<![\\p{L}\\d_.])(\\d{1,2})(?:\\.|th|st|nd|rd| de| of)? ${MONTH}`),
    (_, day, month) => date(month, day),
  ],
  [
    patternOf(`(?<!\\p{L})${MONTH} (\\d{1,2})(?:th|st|nd|rd)?(?![\\p{L}\\d])`),
    (_, month, day) => date(month, day),
  ],
  [
    patternOf(`${CLOCK}(?:[:.]([0-5]\\d))? ?([ap])\\.?m\\b\\.?`),
    (_, hour, minutes = '0', half) =>
      `${((Number(hour) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0)) * MINUTES + Number(minutes)} clock`,
  ],
  ...Object.entries(WORDS.clocks).map(
    ([minutes, hours]): Rewrite => [patternOf(hours), clockAt(minutes)],
  ),
  [
    patternOf(`${CLOCK}(?:[:点點時h]| Uhr |[.](?=\\d\\d Uhr))([0-5]\\d)分?(?![\\d:])`),
    clockAt('0'),
  ],
  [patternOf(`${CLOCK}(?:[点點]钟?| Uhr|時(?!間))`), clockAt('0')],
  [patternOf(`${NOT_IN_WORD}(${NUMBER})[ -]?(?:${UNIT})(?![\\p{Script=Latin}\\d_])`), inBasicUnit],
  ...Object.entries(WORDS.shares).map(
    ([share, words]): Rewrite => [
      patternOf(
        `(?<!\\p{Script=Latin})(?:(?:an?|1|one|eine?|un[ao]?|la|die) )?(?:${words})(?!\\p{Script=Latin})`,
      ),
      () => `${share} percent`,
    ],
  ),
];

/** A string in the spelling in which values are compared. */
export const plainText = remembered((text) => lowered(spelled(text)));

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

/** Whole words, in the order of what they mean. */
function rewritesOf(meanings: string, write: (at: number) => string): readonly Rewrite[] {
  return meanings
    .split(' ')
    .map((words, at) => [
      patternOf(
        `(?<![\\p{Script=Latin}\\d-])(?:${words})(?:(?=mal|tausend|hundert)|(?![\\p{Script=Latin}\\d]))`,
      ),
      () => write(at),
    ]);
}

function patternOf(source: string): RegExp {
  return new RegExp(source, 'giu');
}

function hanNumber(_: string, tens = '', ones = ''): string {
  const high = tens === '' ? 0 : Math.max(1, HAN.indexOf(tens.charAt(0)));
  const low = Math.max(0, HAN.indexOf(ones.replace('两', '二') || '〇'));
  return tens + ones === '' ? '' : `${10 * high + low}`;
}

function date(month = '', day = ''): string {
  const named = indexIn(MONTHS, month);
  return `${(named < 0 ? Number(month) : named + 1) * 100 + Number(day)} date`;
}

function clockAt(told: string): Rewrite[1] {
  return (_, ...parts) => {
    const [hour, minutes] = parts.slice(0, -2).filter((part) => part !== undefined);
    return `${Number(hour) * MINUTES + Number(minutes ?? told)} clock`;
  };
}

function inBasicUnit(_: string, number = '', ...parts: Parts): string {
  const { base = '', size = 1 } = UNITS[parts.findIndex((part) => part !== undefined)] ?? {};
  const isFraction = (words: string) =>
    new RegExp(`^(?:${words.replace('(?= )', '')})$`, 'iu').test(number);
  const fraction = FRACTIONS.find(([, words]) => isFraction(words))?.[0];
  const told = Number(fraction ?? number.replaceAll(' ', '').replace(',', '.'));
  if (base === 'byte') return `${bytesOf(told, size)} byte`;
  return `${Number((told * size).toPrecision(MOST_DIGITS))} ${base}`.trimEnd();
}

/** A thousand of a unit is one of the next, as is 1024 of it. */
function bytesOf(told: number, size: number): number {
  const isDecimal = told >= THOUSAND && told % STEP !== 0 && told % 100 === 0;
  return isDecimal
    ? bytesOf(told / THOUSAND, size * STEP)
    : Number((told * size).toPrecision(MOST_DIGITS));
}

function indexIn(meanings: readonly string[], word = ''): number {
  return meanings.findIndex((words) => words.split('|').includes(word.toLowerCase()));
}

/** Other words for a value that something is on, or off. */
export function switchWords(value: string): readonly string[] {
  const own = SWITCHES.find(({ pattern }) => value.match(pattern) !== null);
  return own?.words.split('|').filter((word) => /^[\p{L} ]+$/u.test(word)) ?? [];
}

/** Tests if some words say off of what is on, or on of what is off. */
export function saysOpposite({ kind, value }: PlantedFact, words: string): boolean {
  const own = SWITCHES.find(({ pattern }) => value.match(pattern) !== null);
  if (kind !== 'state' || own === undefined) return false;
  return SWITCHES.some((one) => one !== own && words.match(one.pattern) !== null);
}
