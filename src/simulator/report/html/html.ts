import type { Format } from '../report.ts';
import { toPageOfRuns } from './page-of-runs.ts';
import { renderPage } from './render-page.ts';

/** The report as one page for a browser, with everything in it that it needs. */
export const html: Format = {
  extension: '.html',
  describes: 'One page for a browser: tables, charts, every session step by step.',
  render: (report, options) => renderPage(toPageOfRuns(report, options)),
};
