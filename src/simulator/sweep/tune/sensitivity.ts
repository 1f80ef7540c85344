import { canonicalJson } from '../../../engine/index.ts';
import { percentileInterval } from '../../metrics/statistics/interval.ts';
import type { Estimate } from '../../metrics/statistics/interval.ts';
import type { ElasticityLack } from '../../report/tune/tune-report.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import { groupBy } from '../../group-by.ts';

/** A cell with what it comes to on the first objective, over all sessions and in each resample. */
export interface SensedCell {
  readonly settings: SettingValues;
  readonly value: number;
  readonly resampled: readonly number[];
}

type Read = (cell: SensedCell) => number;

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

/** What has a logarithm. */
function isAboveZero(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}
