import type { SweepFormat, SweepReport } from '../../simulator/report/sweep/sweep-report.ts';
import { readRows, type SweepFolder } from '../../simulator/sweep/summary/read-rows.ts';
import { summariseSweep } from '../../simulator/sweep/summary/summarise.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { writePieces } from '../process/write-pieces.ts';

/** Prints what the rows of a folder come to; `undefined` if the user wanted to stop before all was written. */
export async function printSweep(
  swept: SweepFolder,
  format: SweepFormat,
  io: CliIo,
): Promise<SweepReport | undefined> {
  const report = summariseSweep(swept.header, readRows(swept));
  const pieces = format.render(report, readRows(swept), terminalOf(io));
  return (await writePieces(io, pieces)) ? report : undefined;
}

/** An input that could not be read, or a run that failed, fails the command; what was not written is interrupted. */
export function exitCodeOf(report: SweepReport | undefined): number {
  if (report === undefined) return EXIT.interrupted;
  const { unread, cells } = report;
  const hasFailed = cells.some(({ failedRuns }) => failedRuns > 0);
  return unread.length > 0 || hasFailed ? EXIT.failed : EXIT.done;
}
