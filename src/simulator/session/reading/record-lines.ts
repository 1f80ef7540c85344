import type { JsonLines } from '../format.ts';
import type { Tally } from './tally.ts';

/** The records among the lines of a file; what is none is counted. */
export function readRecordLines<AnyRecord>(
  lines: JsonLines,
  parse: (line: unknown) => AnyRecord | undefined,
  tally: Tally,
): readonly AnyRecord[] {
  const records = lines.records.flatMap((line) => parse(line) ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', lines.records.length - records.length);
  return records;
}

/** Counts lines that are broken, and records that share a line. */
export function countLineFaults({ brokenLines, gluedRecords }: JsonLines, tally: Tally): void {
  tally.drop('broken line', brokenLines);
  tally.repair('record on the line of another', gluedRecords);
}
