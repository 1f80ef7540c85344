import { annotations } from './annotations.ts';
import { htmlOfCheck } from '../html/html-of-check.ts';
import type { CheckFormat } from './check-report.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import { table } from './table.ts';

/** How the outcome of a check is written down, by name; the default first. */
export const checkFormats = {
  table,
  json,
  junit,
  markdown,
  annotations,
  csv,
  html: htmlOfCheck,
} satisfies Record<string, CheckFormat>;
