import { shownText, withoutCharacters } from './shown-text.ts';

/** What would end a code span or a table cell. */
const MARKUP = /[`|]/g;

/** A text from outside as Markdown code, in which no link, mention, markup or entity is obeyed. */
export function codeSpan(text: string): string {
  return `\`${withoutCharacters(shownText(text), MARKUP) || ' '}\``;
}

/** Rows of cells below their titles. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numberColumns: readonly boolean[],
): readonly string[] {
  return [markdownRow(titles), markdownRule(numberColumns), ...rows.map(markdownRow)];
}

/** The row below the titles: text to the left, numbers to the right. */
function markdownRule(numberColumns: readonly boolean[]): string {
  return markdownRow(numberColumns.map((isNumber) => (isNumber ? '---:' : '---')));
}

/** Cells as a row of a Markdown table. */
function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
