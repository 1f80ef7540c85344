import { shownLines } from '../shown-text.ts';
import type { CheckFormat } from './check-report.ts';

const INDENT = 2;

/** The whole outcome as one JSON document, for programs. */
export const json: CheckFormat = {
  extension: '.json',
  describes: 'The whole outcome as one JSON document.',
  render: (report) => `${shownLines(JSON.stringify(report, null, INDENT))}\n`,
};
