/** A number, in groups of digits or not, and its unit. Nobody groups longer ones. */
const AMOUNT =
  /^(?<whole>\d{1,3}(?:(?<mark>[,_' ])\d{3})(?:\k<mark>\d{3}){0,12}|\d{1,40})(?<fraction>\.\d{1,40})?(?: ?(?<unit>[a-z%]+))?$/;
const VERSION = /^v?\d+(?:\.\d+)+$/;
const GROUP_MARKS = [',', ' ', '_', "'"];
/** Groups digits as well, but may part a fraction from the whole. */
const POINT = '.';
const LEAST_GROUPED = 4;
/** Between digits, where threes are left. */
const GROUP_ENDS = /(?<=\d)(?=(?:\d{3})+$)/g;
/** Units that are written out or not. */
const SPELLINGS: readonly (readonly string[])[] = [
  ['s', 'sec', 'seconds'],
  ['min', 'minutes'],
];

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

function amountForms(value: string): readonly string[] {
  const { whole, fraction = '', unit } = AMOUNT.exec(value)?.groups ?? {};
  if (whole === undefined) return [];
  const digits = whole.replaceAll(/\D/g, '');
  const isBare = fraction === '' && unit === undefined;
  const marks = isBare ? [...GROUP_MARKS, POINT] : GROUP_MARKS;
  const grouped =
    digits.length < LEAST_GROUPED ? [] : marks.map((mark) => digits.replaceAll(GROUP_ENDS, mark));
  const tails = unit === undefined ? [''] : spellingsOf(unit).flatMap((one) => [one, ` ${one}`]);
  return [digits, ...grouped].flatMap((start) => tails.map((tail) => start + fraction + tail));
}

function spellingsOf(unit: string): readonly string[] {
  return SPELLINGS.find((spellings) => spellings.includes(unit)) ?? [unit];
}
