/** A table in Markdown as the formatter aligns it; columns of numbers are right-aligned. */
export function alignedTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) =>
    Math.max(...lines.map((row) => row[column]?.length ?? 0)),
  );
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  const padded = lines.map((row) =>
    widths.map((width, column) => {
      const cell = row[column] ?? '';
      return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
    }),
  );
  return padded
    .toSpliced(1, 0, rule)
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** A page with another text between the two marks of a block. */
export function replaceBlock(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const start = page.indexOf(open);
  const end = page.indexOf(close, start);
  if (start < 0 || end < 0) throw new Error(`Expected '${open}' and '${close}' in the page.`);
  return `${page.slice(0, start)}${open}\n\n${text}\n${page.slice(end)}`;
}
