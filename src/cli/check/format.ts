/** Chooses the format of the report of a check. */

import { extname } from 'node:path';
import { named } from '../../simulator/names.ts';
import type { CheckFormat } from '../../simulator/report/check/check-report.ts';
import { checkFormats } from '../../simulator/report/check/formats.ts';

/** The format that was named, else the one that files of that extension have. */
export function chooseCheckFormat(name: string | undefined, path: string | undefined): CheckFormat {
  if (name !== undefined) return named('check format', checkFormats, name);
  const extension = extname(path ?? '').toLowerCase();
  const usual = Object.values<CheckFormat>(checkFormats).find(
    (format) => format.extension === extension,
  );
  return usual ?? checkFormats.table;
}
