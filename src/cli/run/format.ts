/** Chooses the format of a report. */

import { extname } from 'node:path';
import { named } from '../../simulator/names.ts';
import { type FormatName, formats } from '../../simulator/report/formats.ts';
import type { Format } from '../../simulator/report/report.ts';

const DEFAULT_FORMAT: FormatName = 'table';

/** The format that was named, else the one that files of that extension have. */
export function chooseFormat(name: string | undefined, path: string | undefined): Format {
  if (name !== undefined) return named('format', formats, name);
  const extension = extname(path ?? '').toLowerCase();
  const usual = Object.values<Format>(formats).find((format) => format.extension === extension);
  return usual ?? formats[DEFAULT_FORMAT];
}
