import { type Comparison, COMPARISON_VERSION, comparisonDocument } from './comparison.ts';
import { renderMarkdown, renderTerminal } from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';

/** A page shows all that there is. */
const WHOLE: Terminal = { colors: false, details: true };

/** Renderers of a comparison, by the names of their formats; the default first. */
export const comparisonFormats = {
  table: (comparison, terminal) =>
    renderTerminal(comparisonDocument(comparison, terminal), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison, terminal) => renderMarkdown(comparisonDocument(comparison, terminal)),
  html: (comparison) => renderHtml(comparisonDocument(comparison, WHOLE)),
  svg: (comparison) => renderSvg(comparisonDocument(comparison, WHOLE)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;
