import { csv } from './csv.ts';
import { html } from './html/html.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import type { Format } from './report.ts';
import { table } from './table.ts';

/** The formats of a report by name, the default first. */
export const formats = { table, json, csv, markdown, html } satisfies Record<string, Format>;

/** The name of a format. */
export type FormatName = keyof typeof formats;
