import type { TextTable } from '../text-table.ts';
import type { PageTable } from './page-data.ts';

/** A cell that stands to the right, though it is words with a number. */
const IS_NUMBER = /^[-+]?\$?\d|^∞|^–$/;

/** A table for a terminal as one of a page, with its title as caption where none is given; nothing where it has no rows. */
export function pageTable(
  id: string,
  title: string,
  { columns, rows, caption = title }: TextTable & { readonly caption?: string | undefined },
): readonly PageTable[] {
  if (rows.length === 0) return [];
  const told = columns.map(({ title: name, holds }, index) => ({
    title: name,
    isNumber: index > 0 && rows.every((row) => IS_NUMBER.test(row[index] ?? '')),
    ...(holds === 'words' && { isWords: true }),
  }));
  return [{ id, title, caption, columns: told, rows }];
}
