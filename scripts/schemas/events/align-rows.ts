/** Rows as a table of Markdown, the first one as its head. */
export function alignRows(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...body].map((row) => toLine(row, widths)).join('\n');
}

function toLine(row: readonly string[], widths: readonly number[]): string {
  return `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
}
