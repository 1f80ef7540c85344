import { csv } from './csv.ts';
import { html } from './html.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import type { SweepFormat } from './sweep-report.ts';
import { table } from './table.ts';

/** Formats of a sweep's report, the one for a terminal first. */
export const sweepFormats = { table, json, csv, markdown, html } satisfies Record<
  string,
  SweepFormat
>;
