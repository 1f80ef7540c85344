import { toPageOfComparison } from '../html/page-of-comparison.ts';
import { renderPage } from '../html/render-page.ts';
import type { Terminal } from '../report.ts';
import type { Comparison } from './comparison.ts';
import { renderComparisonJson } from './json.ts';
import { renderComparisonMarkdown } from './markdown.ts';
import { renderComparisonTable } from './table.ts';

/** How a comparison is written down, by name; the default first. */
export const comparisonFormats = {
  table: renderComparisonTable,
  json: renderComparisonJson,
  markdown: renderComparisonMarkdown,
  html: (comparison: Comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;
