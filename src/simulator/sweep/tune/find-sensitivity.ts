import type { Sensitivity } from '../../report/tune/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { type Landscape, toAmounts } from './describe-front.ts';
import { elasticityOf, findLack, groupByOthers, type SensedCell } from './sensitivity.ts';
import type { TableCell, TuneCell } from './tune-table.ts';

/** Cells that differ in what happens, and all points of the grid. */
interface Grid {
  readonly distinct: readonly TableCell[];
  readonly all: readonly TuneCell[];
}

/** What each setting does to the first objective over the sessions tuned on, and whether it does anything at all. */
export function findSensitivity(landscape: Landscape, grid: Grid): readonly Sensitivity[] {
  const sensed = grid.all.flatMap((cell) => senseCell(cell, landscape));
  const spelt: Grid = { ...grid, all: spellOut(grid.all, landscape) };
  return landscape.varied.map((setting) => {
    const elasticity = elasticityOf(setting, sensed, landscape.resampled.families);
    if (isDead(setting, spelt)) return { setting, isDead: true, elasticity };
    const lack = elasticity === null ? { lack: findLack(setting, sensed) } : {};
    return { setting, isDead: false, elasticity, ...lack };
  });
}

/** Today's settings are a value of theirs, too, where they are no point of the grid. */
function spellOut(all: readonly TuneCell[], { today }: Landscape): readonly TuneCell[] {
  return all.map((cell) => (cell.id === today.id ? { ...cell, settings: today.settings } : cell));
}

/** A cell that keeps the constraints, by the one that stands for it. */
function senseCell(
  { id, settings }: TuneCell,
  { cells, points, resampled, objectives }: Landscape,
): readonly SensedCell[] {
  const index = cells.findIndex(({ same }) => same.includes(id));
  const [value] = toAmounts(points[index] ?? [], objectives);
  if (value === undefined) return [];
  const own = resampled.firstObjective.map((values) => {
    const [amount = Number.NaN] = toAmounts([values[index] ?? Number.NaN], objectives);
    return amount;
  });
  return [{ settings, value, resampled: own }];
}

/** With all other settings held, every value of it leads to the same events; of one value nothing can be said. */
function isDead(setting: SettingName, { distinct, all }: Grid): boolean {
  const standsFor = new Map(distinct.flatMap(({ id, same }) => same.map((one) => [one, id])));
  const groups = groupByOthers(setting, all).filter(
    (group) => new Set(group.map(({ settings }) => settings[setting])).size > 1,
  );
  return (
    groups.length > 0 &&
    groups.every((group) => new Set(group.map(({ id }) => standsFor.get(id))).size === 1)
  );
}
