import { toPageOfWhatIf } from '../html/page-of-whatif.ts';
import { renderPage } from '../html/render-page.ts';
import type { Terminal } from '../report.ts';
import { renderWhatIfJson } from './json.ts';
import { renderWhatIfMarkdown } from './markdown.ts';
import { renderWhatIfTable } from './table.ts';
import type { WhatIfReport, WhatIfView } from './what-if-report.ts';

/** How a session under other windows and models is shown, by name; the default first. */
export const whatIfFormats = {
  table: renderWhatIfTable,
  json: renderWhatIfJson,
  markdown: renderWhatIfMarkdown,
  html: (report: WhatIfReport, view: WhatIfView) => renderPage(toPageOfWhatIf(report, view)),
} satisfies Record<string, (report: WhatIfReport, view: WhatIfView, terminal: Terminal) => string>;
