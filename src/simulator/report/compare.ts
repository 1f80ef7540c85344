import { type Comparison, COMPARISON_VERSION, comparisonDocument } from './comparison.ts';
import { renderMarkdown, renderTerminal } from './document.ts';
import { toPageOfComparison } from './html/page-of-comparison.ts';
import { renderPage } from './html/render-page.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';

/** Renderers of a comparison, by the names of their formats; the default first. */
export const comparisonFormats = {
  table: (comparison, terminal) =>
    renderTerminal(comparisonDocument(comparison, terminal), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison, terminal) => renderMarkdown(comparisonDocument(comparison, terminal)),
  html: (comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;
