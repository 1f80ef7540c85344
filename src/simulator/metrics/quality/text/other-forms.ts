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
  const tails = spellingsOf(unit).flatMap((one) =>
    one === NO_UNIT ? [one] : GAPS.map((gap) => gap + one),
  );
  return [digits, ...grouped].flatMap((start) => tails.map((tail) => start + fraction + tail));
}

function spellingsOf(unit = NO_UNIT): readonly string[] {
  return SPELLINGS.find((spellings) => spellings.includes(unit)) ?? [unit];
}
