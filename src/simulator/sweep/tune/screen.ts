import { sum } from '../../lib/collections.ts';
import type { Objective } from '../../report/tune-report.ts';
import type { SettingName, SettingValue } from '../../scenario/settings.ts';
import { EPSILON } from './front.ts';
import { isSound, type Observation } from './tune-table.ts';

export interface ScreenedPoint {
  readonly key: SettingName;
  readonly value: SettingValue;
  readonly cell: string;
}

interface ScreenSources {
  readonly points: readonly ScreenedPoint[];
  readonly observations: readonly Observation[];
  readonly today: string;
  readonly objectives: readonly Objective[];
  /** Settings that a person bounds, which are in the grid whatever they move. */
  readonly bounded: readonly string[];
  readonly isReadable: (setting: SettingName) => boolean;
}

/** So many settings at most, for a grid is their product. */
const MOST_AXES = 3;

/** Settings that set the same threshold, of which a grid has the first that matters. */
const OF_THE_TRIGGER: readonly SettingName[] = [
  'triggerFraction',
  'triggerTokens',
  'reserved',
  'outputCap',
];

/** How a policy counts, which no person chooses for its effect. */
const NEVER_VARIED: ReadonlySet<SettingName> = new Set(['charsPerToken']);

export function judgeScreen(sources: ScreenSources) {
  const { points, bounded, isReadable } = sources;
  const keys = [...new Set(points.map(({ key }) => key))];
  const screened = keys.map((key) => screenSetting(key, sources));
  const moving = screened.filter(
    ({ key, largest }) => bounded.includes(key) || (largest > EPSILON && !NEVER_VARIED.has(key)),
  );
  const trigger = OF_THE_TRIGGER.find((key) => moving.some((one) => one.key === key));
  // Bounded settings first, then those that the agent reads; what moves more is earlier.
  const rankOf = ({ key, largest }: (typeof moving)[number]) =>
    (bounded.includes(key) ? 2 : 0) + (isReadable(key) ? 1 : 0) + largest / (1 + largest);
  const chosen = moving
    .filter(({ key }) => key === trigger || !OF_THE_TRIGGER.includes(key))
    .toSorted((one, other) => rankOf(other) - rankOf(one))
    .slice(0, MOST_AXES);
  return {
    axes: chosen.map((one) => ({ key: one.key, values: valuesToCombine(one) })),
    tried: screened.map(({ key, values, largest }) => {
      const costs = values.flatMap(({ cost }) => cost ?? []);
      return {
        setting: key,
        matters: largest > EPSILON,
        isVaried: chosen.some((one) => one.key === key),
        leastCost: costs.length === 0 ? null : Math.min(0, ...costs),
      };
    }),
  };
}

function valuesToCombine({ values }: ReturnType<typeof screenSetting>) {
  const known = values.filter(({ cost, losses }) => cost !== null || losses !== null);
  const leastOf = (measure: 'cost' | 'losses') =>
    known.toSorted((one, other) => (one[measure] ?? 0) - (other[measure] ?? 0)).slice(0, 1);
  const both = [...leastOf('cost'), ...leastOf('losses')];
  return [...new Set(both.map(({ value }) => value))];
}

function screenSetting(key: SettingName, sources: ScreenSources) {
  const points = sources.points.filter((point) => point.key === key);
  const values = points.map(({ value, cell }) => ({ value, ...movedBy(cell, sources) }));
  return { key, values, largest: Math.max(0, ...values.map(({ largest }) => largest)) };
}

function movedBy(cell: string, { observations, today, objectives }: ScreenSources) {
  const runsOf = (id: string) => observations.filter((run) => run.cell === id);
  const runs = new Map(runsOf(cell).map((run) => [run.session, run]));
  const pairs = runsOf(today).flatMap((a) => {
    const b = runs.get(a.session);
    return isSound(a) && b !== undefined ? [{ a, b }] : [];
  });
  if (pairs.length === 0 || pairs.some(({ b }) => !isSound(b)))
    return { cost: null, losses: null, largest: 0 };
  /** In shares of today's total, or of 1 where that is nothing; `null` where unknown. */
  const shareOf = (...names: readonly string[]) => {
    const amountOf = ({ values }: Observation) =>
      sum(names.map((name) => values[name] ?? Number.NaN));
    const from = sum(pairs.map(({ a }) => amountOf(a)));
    const moved = sum(pairs.map(({ b }) => amountOf(b))) - from;
    return Number.isNaN(moved) ? null : moved / (from === 0 ? 1 : Math.abs(from));
  };
  const [cost, losses] = [shareOf('costUsd'), shareOf('misses', 'unrecoverableMisses')];
  const all = [cost, losses, ...objectives.map(({ metric }) => shareOf(metric))];
  return { cost, losses, largest: Math.max(...all.map((share) => Math.abs(share ?? 0))) };
}
