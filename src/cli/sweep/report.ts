import type { SweepFormat, SweepReport } from '../../simulator/report/sweep/sweep-report.ts';
import { readRows } from '../../simulator/sweep/summary/read-rows.ts';
import { summariseSweep } from '../../simulator/sweep/summary/summarise.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import type { SweepFolder } from './run-sweep.ts';
import { writePieces } from '../process/write-pieces.ts';

/** Prints what the rows of a folder come to. */
export async function printSweep(
  { folder, header }: SweepFolder,
  format: SweepFormat,
  io: CliIo,
): Promise<SweepReport> {
  const report = summariseSweep(header, readRows(folder));
  const pieces = format.render(report, readRows(folder), terminalOf(io));
  await writePieces(io, pieces);
  return report;
}

/** An input that could not be read, or a run that failed, fails the command. */
export function exitCodeOf({ unread, cells }: SweepReport): number {
  const hasFailed = cells.some(({ failedRuns }) => failedRuns > 0);
  return unread.length > 0 || hasFailed ? EXIT.failed : EXIT.done;
}
