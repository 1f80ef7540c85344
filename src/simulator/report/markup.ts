import { stringify } from 'csv-stringify/sync';

/** Characters that a terminal could obey or hide, or XML cannot hold; joiners are kept. */
const UNPRINTABLE =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;
const COMMAND_START = /^(\s*):(?=:)/;
const COMMAND_ANYWHERE = /(##\w*)\[/g;
const MARKUP = /[`|]/g;
const INDENT = 2;

/** One line; what a terminal or a CI log might obey is spelled out as `\uXXXX`. */
export function shownText(text: string) {
  return text
    .replace(UNPRINTABLE, toEscape)
    .replace(COMMAND_START, `$1${toEscape(':')}`)
    .replace(COMMAND_ANYWHERE, `$1${toEscape('[')}`);
}

export function shownLines(text: string) {
  return text.split('\n').map(shownText).join('\n');
}

/** Cut from the left: at a folder if one begins in what stays. */
export function cutLeft(path: string, maxCharacters: number) {
  const characters = Array.from(path);
  if (characters.length <= maxCharacters) return path;
  const end = characters.slice(1 - maxCharacters);
  return `…${end.slice(Math.max(0, end.indexOf('/'))).join('')}`;
}

/** Code, in which no link, mention, markup or entity is obeyed. */
export function codeSpan(text: string) {
  return `\`${shownText(text).replace(MARKUP, toEscape) || ' '}\``;
}

/** A line of a CSV file. Numbers stay numbers: a negative one is no formula. */
export function toCsvLine(cells: readonly (string | number | boolean | null)[]) {
  const shown = cells.map((cell) => {
    if (typeof cell === 'string') return shownText(cell);
    return typeof cell === 'boolean' ? String(cell) : cell;
  });
  return stringify([shown], { escape_formulas: true });
}

/** JSON that people can read and no terminal obeys. */
export function jsonText(document: unknown, replace?: (key: string, value: unknown) => unknown) {
  return `${shownLines(JSON.stringify(document, replace, INDENT))}\n`;
}

export function joinSections(sections: readonly string[]) {
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

export function listSection(title: string, items: readonly string[]) {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownText(item)}`)].join('\n');
}

function toEscape(character: string) {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
