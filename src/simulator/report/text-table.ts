import { alignRows } from './align-rows.ts';
import type { Terminal } from './report.ts';

/** A table for a terminal. */
export interface TextTable {
  /** The first one is of names. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** A column of a table for a terminal. */
export interface Column {
  readonly title: string;
  /** What it is called away from its neighbours, where its title alone says too little. */
  readonly name?: string;
  /**
   * Where there is no room for all columns, those with the lowest ranks are shown first, of one rank from the left; one
   * without is always shown. For it, and for one of rank 0, names go on below their first lines.
   */
  readonly rank?: number;
  /**
   * Numbers, where it is absent, end alike. Names begin alike, and so do other words on a terminal whose width is known;
   * elsewhere words end alike, for programs may read them by their place.
   */
  readonly holds?: 'names' | 'words';
}

/** A table in lines, its titles first. */
export function alignTable({ columns, rows }: TextTable, { terminalColumns }: Terminal): string {
  const beginAlike = columns.map(
    ({ holds }, place) =>
      place === 0 || holds === 'names' || (holds === 'words' && terminalColumns !== undefined),
  );
  return alignRows([titlesOf(columns), ...rows], (place) => beginAlike[place] === true);
}

/** Which columns are of numbers. */
export function areOfNumbers(columns: readonly Column[]): readonly boolean[] {
  return columns.map(({ holds }, place) => place > 0 && holds === undefined);
}

/** The titles of some columns. */
export function titlesOf(columns: readonly Column[]): readonly string[] {
  return columns.map(({ title }) => title);
}
