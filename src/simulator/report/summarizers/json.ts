import { jsonText } from '../json-text.ts';
import type { SummarizersReport } from './summarizers-report.ts';

/** Everything, for programs. */
export function renderSummarizersJson(report: SummarizersReport): string {
  return jsonText(report);
}
