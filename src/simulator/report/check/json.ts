import { sortKeys } from '../../../engine/internal.ts';
import { jsonText } from '../json-text.ts';
import type { CheckFormat } from './check-report.ts';

/** The whole outcome as one JSON document, for programs: the same outcome is the same bytes. */
export const json: CheckFormat = {
  extension: '.json',
  describes: 'The whole outcome as one JSON document, its keys sorted.',
  render: (report) => jsonText(sortKeys(report)),
};
