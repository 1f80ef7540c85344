import { changedSettings } from '../../report/tune/config.ts';
import { type Landscape, settingsOf } from './describe-front.ts';
import { almostDominates } from './front.ts';
import type { TableCell } from './tune-table.ts';

/**
 * Of the cells that are nowhere worse than one by more than the share that counts as none, the one that changes the
 * fewest of today's settings; today's cell, which changes none, is not among them.
 */
export function simplestLike(cell: TableCell, landscape: Landscape): TableCell {
  const { cells, points, today } = landscape;
  const own = points[cells.indexOf(cell)] ?? [];
  const changesOf = (one: TableCell) =>
    Object.keys(changedSettings(settingsOf(one, landscape), today.settings)).length;
  const alike = cells.filter(
    (other, index) => !other.isToday && almostDominates(points[index] ?? [], own),
  );
  const [simplest = cell] = alike.toSorted((one, other) => changesOf(one) - changesOf(other));
  return changesOf(simplest) < changesOf(cell) ? simplest : cell;
}
