import { quoted } from '../../simulator/names.ts';
import { WHOLE } from '../../simulator/report/sweep/sweep-report.ts';
import type { CliIo } from '../process/io.ts';
import { printNote } from '../process/output.ts';

/** Rows that are written as a table, which has no place for a word about what is missing. */
export interface WrittenRows {
  /** Where they come from. */
  readonly from: string;
  readonly rows: number;
  /** How many there are when the sweep, or its shard, is finished. */
  readonly total: number;
  /** `WHOLE` where it is in one piece. */
  readonly shard: string;
}

/** Says where rows are those of one shard, or not all: a sweep that was interrupted is written as far as it came. */
export function noteLack({ from, rows, total, shard }: WrittenRows, io: CliIo): void {
  if (shard !== WHOLE) printNote(io, `Note: ${quoted(from)} is shard ${shard} of its sweep.`);
  if (rows < total) {
    printNote(io, `Note: ${quoted(from)} has ${rows} of ${total} rows; its sweep is not finished.`);
  } else if (rows === 0) printNote(io, `Note: ${quoted(from)} has no row.`);
}
