import { quoted } from '../../simulator/names.ts';
import { WHOLE } from '../../simulator/report/sweep/sweep-report.ts';
import type { Whole } from '../../simulator/sweep/store/places.ts';
import type { CliIo } from '../process/io.ts';
import { printNote } from '../process/output.ts';

/** Rows that are written or compared as a table, which has no place for a word about what is missing. */
interface ReadRows {
  /** Where they come from. */
  readonly from: string;
  readonly rows: number;
  /** What they are to become; absent of a file that belongs to no sweep, whose rows are all. */
  readonly whole?: Whole | undefined;
}

/** Says where rows are those of one shard, or not all: a sweep that was interrupted is shown as far as it came. */
export function noteLack({ from, rows, whole }: ReadRows, io: CliIo): void {
  const { total, shard } = whole ?? { total: rows, shard: WHOLE };
  if (shard !== WHOLE) printNote(io, `Note: ${quoted(from)} is shard ${shard} of its sweep.`);
  if (rows < total) {
    printNote(io, `Note: ${quoted(from)} has ${rows} of ${total} rows; its sweep is not finished.`);
  } else if (rows === 0) printNote(io, `Note: ${quoted(from)} has no row.`);
}
