import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { describeIssue } from '../../schema-issue.ts';
import { findBadField } from '../row-issue.ts';
import type { ResultRow } from '../result-row.ts';

/** Where a row stands; lines count from 1. */
interface RowPlace {
  readonly file: string;
  readonly line: number;
}

/** Throws `HarnessError` at a row of results that has something else where a name or a number should be. */
export function checkRow(row: ResultRow, { file, line }: RowPlace): void {
  const issue = findBadField(row);
  if (issue === undefined) return;
  const message = `Expected ${quotedLong(file)} to be results of 'sweep', but line ${line} is not a result, at ${describeIssue(issue)}. Without that line, the same sweep makes its run again.`;
  throw new HarnessError('BAD_RESULTS', message);
}
