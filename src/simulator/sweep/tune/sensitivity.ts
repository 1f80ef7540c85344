import { canonicalJson } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { type Estimate, percentileInterval } from '../../metrics/statistics/interval.ts';
import type { ElasticityLack, Sensitivity } from '../../report/tune-report.ts';
import type { SettingName, SettingValues } from '../../scenario/settings.ts';
import { type Landscape, toAmounts } from './describe-front.ts';
import type { TableCell, TuneCell } from './tune-table.ts';

/** A cell with what it comes to on the first objective, over all sessions and in each resample. */
export interface SensedCell {
  readonly settings: SettingValues;
  readonly value: number;
  readonly resampled: readonly number[];
}

type Read = (cell: SensedCell) => number;

/** Cells that differ in what happens, and all points of the grid. */
interface Grid {
  readonly distinct: readonly TableCell[];
  readonly all: readonly TuneCell[];
}

/**
 * Percent of an amount for one percent of a setting, d log amount / d log setting, with all other settings held:
 * a line through the logarithms. `null` where no two cells that differ in it alone have two numbers above 0 for it.
 * Source: evaluation design, section 9.5.
 */
export function elasticityOf(
  setting: keyof SettingValues,
  cells: readonly SensedCell[],
  families: number,
): Estimate | null {
  const groups = groupByOthers(setting, cells);
  const value = slopeOf(setting, groups, (cell) => cell.value);
  if (value === null) return null;
  const count = cells[0]?.resampled.length ?? 0;
  const slopes = Array.from({ length: count }, (_, index) =>
    slopeOf(setting, groups, ({ resampled }) => resampled[index] ?? Number.NaN),
  ).flatMap((slope) => slope ?? []);
  return { value, interval: slopes.length === 0 ? null : percentileInterval(slopes, families) };
}

/** Why a setting has no elasticity. */
export function findLack(
  setting: keyof SettingValues,
  cells: readonly SensedCell[],
): ElasticityLack {
  if (cells.length < 2) return 'few cells';
  const numbers = cells.filter(({ settings }) => isAboveZero(settings[setting]));
  if (numbers.length === 0) return 'no number';
  const known = numbers.filter(({ value }) => isAboveZero(value));
  if (known.length < 2) return 'few above zero';
  const values = new Set(known.map(({ settings }) => settings[setting]));
  return values.size < 2 ? 'one value' : 'never alone';
}

/** Cells that differ in nothing but one setting stand together. */
export function groupByOthers<Cell extends { readonly settings: SettingValues }>(
  setting: keyof SettingValues,
  cells: readonly Cell[],
): readonly (readonly Cell[])[] {
  const groups = groupBy(cells, ({ settings: { [setting]: own, ...others } }) =>
    own === undefined ? undefined : canonicalJson(others),
  );
  return [...groups.values()];
}

/** The effect of each setting on the first objective over the tuned sessions, if any. */
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

function slopeOf(
  setting: keyof SettingValues,
  groups: readonly (readonly SensedCell[])[],
  read: Read,
): number | null {
  let across = 0;
  let along = 0;
  for (const group of groups) {
    const points = group.flatMap((cell) => logPoint(cell.settings[setting], read(cell)));
    const centreX = points.reduce((total, { x }) => total + x, 0) / points.length;
    const centreY = points.reduce((total, { y }) => total + y, 0) / points.length;
    for (const { x, y } of points) {
      across += (x - centreX) * (y - centreY);
      along += (x - centreX) ** 2;
    }
  }
  return along > 0 ? across / along : null;
}

function logPoint(setting: unknown, amount: number) {
  if (!isAboveZero(setting) || !isAboveZero(amount)) return [];
  return [{ x: Math.log(setting), y: Math.log(amount) }];
}

/** Only such numbers have a logarithm. */
function isAboveZero(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
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

/** Today's settings are a value of theirs, too, where they are no point of the grid. */
function spellOut(all: readonly TuneCell[], { today }: Landscape): readonly TuneCell[] {
  return all.map((cell) => (cell.id === today.id ? { ...cell, settings: today.settings } : cell));
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
