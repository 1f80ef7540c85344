import { shownLines } from '../shown-text.ts';
import type { SummarizersReport } from './summarizers-report.ts';

const INDENT = 2;

/** Everything, for programs. */
export function renderSummarizersJson(report: SummarizersReport): string {
  return `${shownLines(JSON.stringify(report, null, INDENT))}\n`;
}
