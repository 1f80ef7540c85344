import type { Terminal } from '../report.ts';
import { renderTuneJson } from './json.ts';
import { renderTuneMarkdown } from './markdown.ts';
import { renderTuneTable } from './table.ts';
import type { TuneReport } from './tune-report.ts';

/** How what tuning found is written down, by name; the default first. */
export const tuneFormats = {
  table: renderTuneTable,
  json: renderTuneJson,
  markdown: renderTuneMarkdown,
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;
