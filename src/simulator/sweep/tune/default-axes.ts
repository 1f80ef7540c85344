import type { Policy } from '../../../engine/index.ts';
import { isChecked } from '../../scenario/doctor/checkup.ts';
import { knowsReserve } from '../../scenario/doctor/effect.ts';
import type { Setting } from '../../scenario/setting.ts';
import { type SettingName, settings } from '../../scenario/settings.ts';
import type { Axis } from '../grid/axes.ts';
import { type InUse, todaysValue } from './today.ts';

/** A setting with the values that a grid has of it. */
export type SettingAxis = Axis & { readonly key: SettingName };

/** What a default grid has of each setting, in shares of today's value. */
const FACTORS = [0.5, 1, 1.5, 2];

/** What a default grid has of a setting whose value is 0 today, by its unit. */
const VALUES_FROM_ZERO: Readonly<Partial<Record<Setting['unit'], readonly number[]>>> = {
  tokens: [0, 10_000, 20_000, 40_000],
  seconds: [0, 300, 1_800, 3_600],
};
const FEW_FROM_ZERO = [0, 1, 2, 4];

/** So many settings at most, for a grid is their product. */
const MOST_AXES = 3;

const OF_THE_TRIGGER: readonly SettingName[] = ['reserved', 'triggerFraction'];
const OF_A_PRUNE_BY_AGE: readonly SettingName[] = ['protect', 'minimum'];
const OF_WHAT_IS_KEPT: readonly SettingName[] = [
  'keepOutputs',
  'pause',
  'keepTokens',
  'keepShare',
  'keepMessages',
  'tailTurns',
];

/**
 * A grid around today's reserve and what a prune by age protects and asks for, where the policy has both; else around
 * those of its own numbers that matter most, as far as their values make a difference.
 */
export function defaultAxes(
  inUse: InUse,
  differs: (axis: SettingAxis) => boolean = () => true,
): readonly SettingAxis[] {
  const { policy } = inUse;
  if (knowsReserve(policy) && prunesByAge(policy)) {
    return axesOf(['reserved', ...OF_A_PRUNE_BY_AGE], inUse);
  }
  const names = [
    ...(isChecked(policy) ? OF_THE_TRIGGER : []),
    ...(prunesByAge(policy) ? OF_A_PRUNE_BY_AGE : []),
    ...OF_WHAT_IS_KEPT,
  ];
  return axesOf(names, inUse).filter(differs).slice(0, MOST_AXES);
}

function prunesByAge({ prune }: Policy): boolean {
  return prune.enabled && prune.when !== 'never' && prune.pass === 'by-age';
}

function axesOf(names: readonly SettingName[], inUse: InUse): readonly SettingAxis[] {
  return names.flatMap((key) => {
    const today = todaysValue(key, inUse);
    return typeof today === 'number' ? [{ key, values: valuesAround(today, key) }] : [];
  });
}

function valuesAround(today: number, key: SettingName): readonly number[] {
  const { unit } = settings[key];
  if (today === 0) return VALUES_FROM_ZERO[unit] ?? FEW_FROM_ZERO;
  const values = FACTORS.map((factor) =>
    unit === 'share' ? Math.min(1, roundShare(factor * today)) : Math.round(factor * today),
  );
  return [...new Set(values)];
}

function roundShare(share: number): number {
  return Math.round(share * 100) / 100;
}
