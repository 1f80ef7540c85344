import { sum } from '../../lib/collections.ts';
import type { SweepReport } from './sweep-report.ts';

/** Rows of a sweep, or of its shard. */
interface RowCounts {
  readonly present: number;
  /** Those that are still to come; none where the sweep is finished. */
  readonly missing: number;
}

/** How many rows of a sweep there are, and how many are still to come. */
export function countRows({
  cells,
  provenance,
}: Pick<SweepReport, 'cells' | 'provenance'>): RowCounts {
  const present = sum(cells.map(({ runs }) => runs));
  const total = provenance.sessions * cells.length * provenance.seeds.length;
  return { present, missing: Math.max(0, total - present) };
}
