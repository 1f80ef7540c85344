import { toPageOfTune } from '../html/page-of-tune.ts';
import { renderPage } from '../html/render-page.ts';
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
  html: (report: TuneReport) => renderPage(toPageOfTune(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;
