import type { NamedSettings } from '../../report/tune/tune-report.ts';
import { type Landscape, settingsOf } from './describe-front.ts';
import { almostDominates } from './front.ts';
import type { TableCell } from './tune-table.ts';

/**
 * Of the cells that are nowhere worse than one by more than the share that counts as none, the one that changes the
 * fewest of today's settings; today's cell, which changes none, is not among them.
 */
export function simplestLike(cell: TableCell, landscape: Landscape): TableCell {
  const { cells, points } = landscape;
  const own = points[cells.indexOf(cell)] ?? [];
  const changesOf = (one: TableCell) => changedIn(settingsOf(one, landscape), landscape).length;
  const alike = cells.filter(
    (other, index) => !other.isToday && almostDominates(points[index] ?? [], own),
  );
  const [simplest = cell] = alike.toSorted((one, other) => changesOf(one) - changesOf(other));
  return changesOf(simplest) < changesOf(cell) ? simplest : cell;
}

/** The settings that have another value than today. */
export function changedIn(
  settings: NamedSettings,
  { today }: Pick<Landscape, 'today'>,
): readonly string[] {
  return Object.keys(settings).filter((name) => settings[name] !== today.settings[name]);
}
