import { shownText, withoutCharacters } from './shown-text.ts';

/** What would end a code span or a table cell. */
const MARKUP = /[`|]/g;

/** A text from outside as Markdown code, in which no link, mention, markup or entity is obeyed. */
export function codeSpan(text: string): string {
  return `\`${withoutCharacters(shownText(text), MARKUP) || ' '}\``;
}

/** Cells as a row of a Markdown table. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The row below the titles: text to the left, numbers to the right. */
export function markdownRule(numberColumns: readonly boolean[]): string {
  return markdownRow(numberColumns.map((isNumber) => (isNumber ? '---:' : '---')));
}
