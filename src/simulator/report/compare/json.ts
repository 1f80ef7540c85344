import { shownLines } from '../shown-text.ts';
import { type Comparison, COMPARISON_VERSION } from './comparison.ts';

const INDENT = 2;

/** Everything, for programs. */
export function renderComparisonJson(comparison: Comparison): string {
  const document = { comparisonVersion: COMPARISON_VERSION, ...comparison };
  return `${shownLines(JSON.stringify(document, null, INDENT))}\n`;
}
