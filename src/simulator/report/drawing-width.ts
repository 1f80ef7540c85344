import type { Room } from './report.ts';

/** Columns with which a drawing still shows something, whatever has no room beside it. */
const LEAST_WIDTH = 10;

/** What a drawing is wide, and what stands beside it, in columns of a terminal. */
interface Drawing {
  /** As wide as it is where there is room. */
  readonly most: number;
  readonly beside: number;
}

/** How many columns a drawing has: fewer where a terminal would break its lines. */
export function drawingWidth(
  { most, beside }: Drawing,
  { terminalColumns = Infinity }: Room,
): number {
  return Math.min(most, Math.max(LEAST_WIDTH, terminalColumns - beside));
}
