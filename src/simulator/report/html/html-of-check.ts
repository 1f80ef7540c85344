import type { CheckFormat } from '../check/check-report.ts';
import { toPageOfCheck } from './page-of-check.ts';
import { renderPage } from './render-page.ts';

/** The outcome of a check as one page for a browser. */
export const htmlOfCheck: CheckFormat = {
  extension: '.html',
  describes: 'One page for a browser: what differs and where, every scenario.',
  render: (report) => renderPage(toPageOfCheck(report)),
};
