import { toPageOfSummarizers } from '../html/page-of-summarizers.ts';
import { renderPage } from '../html/render-page.ts';
import type { Terminal } from '../report.ts';
import { renderSummarizersCsv } from './csv.ts';
import { renderSummarizersJson } from './json.ts';
import { renderSummarizersMarkdown } from './markdown.ts';
import type { SummarizersReport } from './summarizers-report.ts';
import { renderSummarizersTable } from './table.ts';

/** How a comparison of summarizers is written down, by name; the default first. */
export const summarizersFormats = {
  table: renderSummarizersTable,
  json: renderSummarizersJson,
  markdown: renderSummarizersMarkdown,
  csv: renderSummarizersCsv,
  html: (report) => renderPage(toPageOfSummarizers(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;
