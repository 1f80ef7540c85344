/** What arms keep over several pivots, as a table. */

import { formatFixed } from '../fixed.ts';
import { joinEnds, knownInterval, withEnds } from '../intervals.ts';
import { formatCount, UNKNOWN } from '../numbers.ts';
import type { Column } from '../text-table.ts';
import { spreadCell } from './spread-cell.ts';
import type { DecayEstimate, IntervalEstimate, SummarizersReport } from './summarizers-report.ts';

const DECIMALS = 2;
/** Pivots from which on tenths say nothing. */
const LONG = 100;
const LASTING = '∞';

/** What the words of the table mean. */
export const DECAY_NOTE =
  'ρ: what each further pivot leaves of what the previous one left. Half-life: pivots until half is left. Survives: share of facts still in the summary after that many pivots (Kaplan–Meier).';

/** The table of decay, with the pivots that any arm got to; the last of them tells most. */
export function decayColumns(report: SummarizersReport): readonly Column[] {
  const pivots = pivotsOf(report);
  const count = pivots.length;
  return [
    { title: 'Over pivots' },
    ...pivots.map((pivot) => ({ title: `Kept after ${pivot}`, rank: 1 + count - pivot })),
    { title: 'ρ', rank: 0 },
    { title: 'Half-life' },
    { title: 'ρ of the view', rank: 1 + 2 * count },
    ...pivots.map((pivot) => ({ title: `Survives ${pivot}`, rank: 1 + 2 * count - pivot })),
  ];
}

/** One row an arm; none where no arm was compacted more than once. */
export function decayRows(report: SummarizersReport): readonly (readonly string[])[] {
  const pivots = pivotsOf(report);
  if (pivots.length < 2) return [];
  return report.arms.map(({ name, decay: { summary, view, survival } }) => [
    name,
    ...pivots.map((_, index) => shareAt(summary.retention[index])),
    numberCell(summary.rho),
    halfLifeCell(summary),
    numberCell(view.rho),
    ...pivots.map((_, index) => shareAt(survival[index]?.survival)),
  ]);
}

function pivotsOf({ arms }: SummarizersReport): readonly number[] {
  const most = arms.reduce(
    (longest, { decay }) => Math.max(longest, decay.summary.retention.length),
    0,
  );
  return Array.from({ length: most }, (_, index) => index + 1);
}

function shareAt(estimate: IntervalEstimate | undefined): string {
  return estimate === undefined ? UNKNOWN : spreadCell(estimate);
}

function numberCell({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  const interval = ends.low === ends.high ? null : knownInterval(ends);
  return withEnds(showFixed(mean), interval, showFixed);
}

function halfLifeCell({ rho, halfLife }: DecayEstimate): string {
  if (rho.mean === null) return UNKNOWN;
  const ends =
    rho.low === null || rho.high === null || rho.low === rho.high
      ? ''
      : ` (${joinEnds(pivotsCell(halfLife.low), pivotsCell(halfLife.high))})`;
  return `${pivotsCell(halfLife.mean)}${ends}`;
}

/** What is never halved lasts for ever. */
function pivotsCell(pivots: number | null): string {
  if (pivots === null) return LASTING;
  return pivots < LONG ? pivots.toFixed(1) : formatCount(Math.round(pivots));
}

function showFixed(value: number): string {
  return formatFixed(value, DECIMALS);
}
