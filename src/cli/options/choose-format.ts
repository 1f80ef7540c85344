/** Chooses the format of a report. */

import { extname } from 'node:path';
import { badOption } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import { checkFormats } from '../../simulator/report/check/formats.ts';
import { formats } from '../../simulator/report/formats.ts';

/** What the command line says of a format. */
export interface FormatOptions {
  readonly format?: string | undefined;
  /** The file that it is for, and the option that names that. */
  readonly out?: string | undefined;
  readonly option?: string;
}

/** Extensions of files with the formats of any command that they may have, the first that a command has before the next. */
const FORMATS_OF: readonly (readonly [extension: string, format: string])[] = [
  ['.parquet', 'parquet'],
  ['.jsonl', 'jsonl'],
  ...Object.entries({ ...checkFormats, ...formats }).map(
    ([name, { extension }]) => [extension, name] as const,
  ),
  ['.log', 'table'],
];

/**
 * The format that was named, else the one that files of that extension have, else the first where there is no extension;
 * throws where there is none.
 */
export function chooseFormat<Kind>(
  table: Readonly<Record<string, Kind>>,
  what: string,
  { format, out = '', option = '--out' }: FormatOptions,
): Kind {
  const name = format ?? findUsual(Object.keys(table), extname(out).toLowerCase());
  if (name !== undefined) return named(what, table, name);
  const names = Object.keys(table).join(', ');
  throw badOption(
    `Expected ${quoted(option)} to be a file of one of the formats ${names}, or to come with '--format', got ${quoted(out)}.`,
  );
}

/** Absent where such a file holds what none of these formats is, or nobody knows what: it may be mistyped. */
function findUsual(names: readonly string[], extension: string): string | undefined {
  if (extension === '') return names[0];
  return FORMATS_OF.find(([ending, name]) => ending === extension && names.includes(name))?.[1];
}
