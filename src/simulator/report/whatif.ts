import { renderMarkdown, renderTerminal } from './document.ts';
import { toPageOfWhatIf, type VariantPicture } from './html/page-of-whatif.ts';
import { renderPage } from './html/render-page.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';
import { whatIfDocument, type WhatIfReport } from './whatif-report.ts';

/** Options of a what-if besides its report. */
interface WhatIfOptions extends Terminal {
  readonly charts?: boolean;
  /** The events and views of each run for a page, in the order of the variants. */
  readonly runs?: readonly VariantPicture[];
}

/** Renderers of a session under other windows and models, by the names of their formats; the default first. */
export const whatIfFormats = {
  table: (report, options) => renderTerminal(whatIfDocument(report, options), options),
  json: (report) => jsonText(report),
  markdown: (report) => renderMarkdown(whatIfDocument(report)),
  html: (report, { runs }) => renderPage(toPageOfWhatIf(report, runs)),
} satisfies Record<string, (report: WhatIfReport, options: WhatIfOptions) => string>;
