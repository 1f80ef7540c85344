import type { Saved } from '../../simulator/report/saved/saved.ts';
import { sweepFormats } from '../../simulator/report/sweep/formats.ts';
import { countRows } from '../../simulator/report/sweep/row-counts.ts';
import type { SweepFormat } from '../../simulator/report/sweep/sweep-report.ts';
import { chooseFormat, type FormatOptions } from '../options/choose-format.ts';
import type { CliIo } from '../process/io.ts';
import { noteLack } from '../sweep/note-lack.ts';

/** Says what a sweep lacks that was written as CSV; the other formats say so themselves. */
export function noteLackOfCsv(
  { saved, from }: { readonly saved: Saved; readonly from: string },
  chosen: FormatOptions,
  io: CliIo,
): void {
  if (saved.kind !== 'sweep') return;
  if (chooseFormat<SweepFormat>(sweepFormats, 'sweep format', chosen) !== sweepFormats.csv) return;
  const { present, missing } = countRows(saved.report);
  const { shard } = saved.report.provenance;
  noteLack({ from, rows: present, whole: { total: present + missing, shard } }, io);
}
