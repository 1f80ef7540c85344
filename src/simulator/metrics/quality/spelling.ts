/** The spelling in which values are compared: amounts, times and dates of any language in one form. */

import { remembered } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import WORDS from './value-words.json' with { type: 'json' };

type Parts = readonly (string | undefined)[];
type Rewrite = readonly [RegExp, (written: string, ...parts: Parts) => string];

const MOST_DIGITS = 12;
const MINUTES = 60;
const THOUSAND = 1000;
const STEP = 1024;
const HAN = '〇一二三四五六七八九';
/** Each unit is a group of the pattern. */
const UNITS = Object.entries<Readonly<Record<string, string>>>(WORDS.units).flatMap(
  ([base, names]) =>
    Object.entries(names).map(([size, name]) => ({ base, size: Number(size), name })),
);
const FRACTIONS = Object.entries(WORDS.fractions);
const [ONES, TENS, MONTHS] = [WORDS.ones, WORDS.tens, WORDS.months].map((all) => all.split(' '));
const SWITCHES = Object.values(WORDS.switches).map((words) => ({
  words: words.split('|').filter((word) => /^[\p{L} ]+$/u.test(word)),
  pattern: new RegExp(`(?<!\\p{Script=Latin})(?:${words})(?!\\p{Script=Latin})`, 'iu'),
}));
/** Parts of patterns by their names in angles. */
const PARTS: Readonly<Record<string, string>> = {
  one: `(${ONES?.join('|')})`,
  ten: `(${TENS?.join('|')})`,
  month: `(${MONTHS?.join('|')})(?!\\p{L})`,
  clock: '(?<![\\p{Script=Latin}\\d:./])(\\d{1,2})',
  number: `\\d{1,3}(?: \\d{3})+|\\d+(?:[.,]\\d+)?|${FRACTIONS.map(([, words]) => words).join('|')}`,
  unit: UNITS.map(({ name }) => `(${name})`).join('|'),
};
const ACTIONS: Readonly<Record<string, (parts: Parts, told: string) => string>> = {
  group: (_, written) => written.replaceAll(/\D/g, ''),
  han: ([tens, ones]) => hanNumber(tens, ones),
  compound: ([ones, high, tens, low]) =>
    `${(indexIn(TENS, high ?? tens) + 2) * 10 + indexIn(ONES, ones ?? low) + 1}`,
  half: ([word, number]) => `${number ?? indexIn(ONES, word) + 1}.5`,
  date: ([month, day]) => date(month, day),
  day: ([day, month]) => date(month, day),
  noon: ([hour, minutes = '0', half]) =>
    clock(`${(Number(hour) % 12) + (half === undefined ? 0 : 12)}`, minutes),
  amount: ([number, ...parts]) => inBasicUnit(number, parts),
};

/** Patterns of what is written in many ways, and the one way in which it is compared, its unit behind the number. */
const REWRITES: readonly Rewrite[] = [
  ...rulesOf(WORDS.first),
  ...rewritesOf(WORDS.numbers, (at) => `${at + 2}`),
  ...rewritesOf(WORDS.hundreds, (at) => `${(at + 1) * 100}`),
  ...rewritesOf(WORDS.tens, (at) => `${(at + 2) * 10}`),
  ...rewritesOf(WORDS.weekdays, (at) => `${at + 1} weekday`),
  ...rulesOf(WORDS.then),
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

/** Other words for a value that something is on, or off. */
export function switchWords(value: string): readonly string[] {
  return SWITCHES.find(({ pattern }) => pattern.test(value))?.words ?? [];
}

/** Tests if some words say off of what is on, or on of what is off. */
export function saysOpposite({ kind, value }: PlantedFact, words: string): boolean {
  const own = kind === 'state' ? SWITCHES.find(({ pattern }) => pattern.test(value)) : undefined;
  return own !== undefined && SWITCHES.some((one) => one !== own && one.pattern.test(words));
}

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

/** A text with its parts, the time of the minutes that are told, or what an action writes. */
function rulesOf(rules: Readonly<Record<string, string>>): readonly Rewrite[] {
  return Object.entries(rules).map(([source, told]) => {
    const pattern = patternOf(
      source.replaceAll(/(?<![?k])<(\w+)>/g, (_, part) => PARTS[part] ?? ''),
    );
    const act = ACTIONS[told.slice(1)];
    if (act !== undefined) return [pattern, (written, ...parts) => act(parts, written)];
    if (told.startsWith('@'))
      return [
        pattern,
        (_, ...parts) => clock(...parts.slice(0, -2).filter(Boolean), told.slice(1)),
      ];
    return [pattern, (_, ...parts) => told.replaceAll(/\$(\d)/g, (__, at) => parts[at - 1] ?? '')];
  });
}

function patternOf(source: string): RegExp {
  return new RegExp(source, 'giu');
}

function hanNumber(tens = '', ones = ''): string {
  const high = tens === '' ? 0 : Math.max(1, HAN.indexOf(tens.charAt(0)));
  const low = Math.max(0, HAN.indexOf(ones.replace('两', '二') || '〇'));
  return tens + ones === '' ? '' : `${10 * high + low}`;
}

function date(month = '', day = ''): string {
  const named = indexIn(MONTHS, month);
  return `${(named < 0 ? Number(month) : named + 1) * 100 + Number(day)} date`;
}

function clock(hour?: string, minutes?: string): string {
  return `${Number(hour) * MINUTES + Number(minutes)} clock`;
}

function inBasicUnit(number = '', parts: Parts): string {
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

function indexIn(meanings: readonly string[] = [], word = ''): number {
  return meanings.findIndex((words) => words.split('|').includes(word.toLowerCase()));
}
