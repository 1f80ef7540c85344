import { toPageOfSweep } from '../html/page-of-sweep.ts';
import { renderPage } from '../html/render-page.ts';
import type { SweepFormat } from './sweep-report.ts';

/** The report of a sweep as one page for a browser. */
export const html: SweepFormat = {
  extension: '.html',
  describes: 'One page for a browser: cells, trade-offs, heat map, every run.',
  *render(report, rows, options) {
    yield renderPage(toPageOfSweep(report, rows, options));
  },
};
