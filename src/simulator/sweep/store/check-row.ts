import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { describeIssue } from '../../schema-issue.ts';
import { findBadMetric } from '../row-issue.ts';
import type { ResultRow } from '../result-row.ts';

/** Where a row stands; lines count from 1. */
interface RowPlace {
  readonly file: string;
  readonly line: number;
}

/** Throws `HarnessError` at a row of results whose numbers are none. */
export function checkRow({ metrics }: ResultRow, { file, line }: RowPlace): void {
  const issue = findBadMetric(metrics);
  if (issue === undefined) return;
  const what = describeIssue({ ...issue, path: ['metrics', ...issue.path] });
  const message = `Expected ${quotedLong(file)} to be results of 'sweep', but line ${line} is not a result, at ${what}. Without that line, the same sweep makes its run again.`;
  throw new HarnessError('BAD_RESULTS', message);
}
