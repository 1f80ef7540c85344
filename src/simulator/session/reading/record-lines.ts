import type { JsonLines } from '../format.ts';
import type { Tally } from './tally.ts';

/** The records among the lines of a file; what is none is counted. */
export function readRecordLines<AnyRecord>(
  { records: lines, brokenLines, gluedRecords }: JsonLines,
  parse: (line: unknown) => AnyRecord | undefined,
  tally: Tally,
): readonly AnyRecord[] {
  const records = lines.flatMap((line) => parse(line) ?? []);
  tally.drop('broken line', brokenLines);
  tally.drop('line that is no object', lines.length - records.length);
  tally.repair('record on the line of another', gluedRecords);
  return records;
}
