/** Digits that are grouped for the eye: commas, thin blanks, apostrophes and underscores between threes. */
const GROUPED =
  /(?<![\p{L}\p{N}_.,])\d{1,3}(?:([,_'\u00A0\u202F])\d{3})(?:\1\d{3})*(?![\p{L}\p{N}_])/gu;
const SEPARATORS = /[,_'\u00A0\u202F]/g;
/** Marks that stand around words and mean nothing: quotation marks and the emphasis of Markdown. */
const MARKS = /["“”„«»「」『』`]|\*\*|~~/g;
const CURLY = /[‘’]/g;
/** A single quotation mark that is no apostrophe. */
const QUOTE = /(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu;
const BACKSLASH = /(?<=[\w.:])\\(?=[\w.])/g;
const HERE = /(?<![\w./])\.\//g;
const BLANKS = /[^\S\n]+/g;

/** A text whose paths have one kind of slashes. */
export function toSlashes(text: string): string {
  return text.replaceAll(BACKSLASH, '/');
}

/**
 * A text in which the same things are written the same way: one case, one width, one kind of blanks and slashes, no
 * marks around words.
 */
export function normaliseText(text: string): string {
  const words = text
    .replaceAll('\r', '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(CURLY, "'")
    .replaceAll(MARKS, '')
    .replaceAll(QUOTE, '');
  return toSlashes(words).replaceAll(HERE, '').replaceAll(BLANKS, ' ');
}

/** What most values are like: nothing in them is changed but capitals. */
const PLAIN = /^\w[\w-]*(?:[ /.][\w-]+)*$/;

/** What a value is compared by: normalised, and without blanks at its ends. */
export function normaliseValue(value: string): string {
  if (PLAIN.test(value)) return value.toLowerCase();
  return normaliseText(value).replaceAll('\n', ' ').trim();
}

/** The same value as others write it: a number with its digits in groups. */
export function variantsOf(value: string): readonly string[] {
  return LONG_NUMBER.test(value)
    ? GROUP_MARKS.map((mark) => value.replaceAll(GROUP_ENDS, mark))
    : [];
}

const LONG_NUMBER = /^\d{4,}$/;
const GROUP_MARKS = [',', ' ', '_', "'", '.'];
/** Between digits, where threes are left. */
const GROUP_ENDS = /(?<=\d)(?=(?:\d{3})+$)/g;

/** A text in which no digits are grouped. */
export function ungroup(text: string): string {
  return text.replaceAll(GROUPED, (number) => number.replaceAll(SEPARATORS, ''));
}
