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

/** Whether the word has backslashes that Markdown does not need. */
function isInPath(text: string, at: number): boolean {
  const before = /\S*$/.exec(text.slice(Math.max(0, at - REACH), at))?.[0] ?? '';
  const after = /^\S*/.exec(text.slice(at, at + REACH))?.[0] ?? '';
  return /\\(?!_)/.test(before + after);
}
