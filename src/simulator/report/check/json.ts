import { sortKeys } from '../../canonical-json.ts';
import { shownLines } from '../shown-text.ts';
import type { CheckFormat } from './check-report.ts';

const INDENT = 2;

/** The whole outcome as one JSON document, for programs: the same outcome is the same bytes. */
export const json: CheckFormat = {
  extension: '.json',
  describes: 'The whole outcome as one JSON document, its keys sorted.',
  render: (report) => `${shownLines(JSON.stringify(sortKeys(report), null, INDENT))}\n`,
};
