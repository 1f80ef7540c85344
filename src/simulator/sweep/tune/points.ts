import { readsSetting } from '../../report/agent-keys.ts';
import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import {
  type SettingName,
  type SettingValue,
  type SettingValues,
  settings,
} from '../../scenario/settings.ts';
import type { Setup } from '../../setup/setup.ts';
import {
  type Cell,
  type CellChoice,
  type CellSources,
  eachOnce,
  expandAxes,
  isChoice,
  parseAxes,
  resolveCell,
  toChoice,
  type Axis,
} from '../grid.ts';
import { isAnswered } from '../answer/answer-groups.ts';
import { outcomeKey } from '../run/outcomes.ts';
import { meetSetup } from '../run/meet-setup.ts';
import { type Constraint, isWithin, isSound, type Observation } from './tune-table.ts';
import { type InUse, todaysValue, valuesToTry } from './screen-axes.ts';
import type { TuneOptions } from './tune.ts';
import { sum } from '../../lib/collections.ts';
import type { Objective } from '../../report/tune-report.ts';
import { EPSILON } from './front.ts';

type SettingAxis = Axis & { readonly key: SettingName };

interface ScreenedPoint {
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

export interface Search
  extends Pick<TuneOptions, 'objectives' | 'constraints' | 'heldOutShare' | 'seed'> {
  readonly base: CellChoice;
  readonly sources: CellSources;
  readonly today: Cell;
  readonly control: Cell;
  readonly inUse: InUse;
  readonly setup?: Setup | undefined;
}

export type GridPlan = ReturnType<typeof toGridPlan>;

export type ScreenPlan = ReturnType<typeof planScreen>;

/** Limits of the model; a smaller window is tried as an earlier trigger. */
const OF_THE_MODEL: ReadonlySet<SettingName> = new Set([
  'contextTokens',
  'inputTokens',
  'outputTokens',
]);

export function planPoints(search: Search, vary: readonly string[]): GridPlan | ScreenPlan {
  const given = parseAxes(vary).map(({ key, values }): SettingAxis => {
    if (!isChoice(key)) return { key, values };
    throw badOption(
      `Expected '--vary' to name a setting, got ${quoted(key)}: only 'sweep' and 'compare' vary it.`,
    );
  });
  const isScreen = given.length === 0;
  const axes = withinBounds(isScreen ? screenAxes(search.inUse) : given, search.constraints);
  if (isScreen) return planScreen(search, axes);
  const varied = axes.map(({ key }) => key);
  const grid = expandAxes(axes).map((point) => {
    const cell = resolveCell(toChoice(search.base, axes, point), search.sources);
    return { cell, settings: Object.fromEntries(varied.map((key, index) => [key, point[index]])) };
  });
  return toGridPlan(search, varied, grid);
}

export function planScreened(
  plan: Search & ScreenPlan,
  observations: readonly Observation[],
): GridPlan {
  const { base, sources, points, objectives, constraints, today } = plan;
  const { axes, tried } = judgeScreen({
    points,
    observations,
    today: today.id,
    objectives,
    bounded: constraints.filter(({ of }) => of === 'setting').map(({ name }) => name),
    isReadable: (name) => readsSetting(base.arm.preset, name),
  });
  const varied = axes.map(({ key }) => key);
  // What the short answer judges is judged here as well, however little it moves.
  const onTheirOwn = points.filter(
    ({ key }) => varied.includes(key) || isAnswered(key, plan.inUse),
  );
  const todays = todaysSettings(varied, plan);
  const alone = onTheirOwn.map(({ key, value }) => ({ [key]: value }));
  // Today's values are left out of a cell, so that it is the one that was screened.
  const grid = [...alone, ...combine(axes)].map((changed) => ({
    cell: resolveCell({ ...base, settings: { ...base.settings, ...changed } }, sources),
    settings: { ...todays, ...changed },
  }));
  const none = { matters: false, isVaried: false, leastCost: 0 };
  const idle = plan.idle.map((setting) => ({ setting, ...none }));
  const found = toGridPlan(plan, varied, grid);
  return { ...found, search: { ...found.search, tried: [...tried, ...idle] } };
}

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

export function screenAxes(inUse: InUse) {
  const names = Object.keys(settings) as readonly SettingName[];
  return names.flatMap((key) => {
    if (OF_THE_MODEL.has(key)) return [];
    const values = valuesToTry(key, inUse);
    return values.length === 0 ? [] : [{ key, values }];
  });
}

function planScreen(search: Search, axes: readonly SettingAxis[]) {
  const { base, sources, today, control, setup } = search;
  const keyOf = (cell: Cell) => outcomeKey(meetSetup(cell, setup));
  const points = axes.flatMap(({ key, values }) =>
    values.map((value) => {
      const choice = toChoice(base, [{ key, values: [value] }], [value]);
      return { key, value, cell: resolveCell(choice, sources) };
    }),
  );
  const telling = points.filter(({ cell }) => keyOf(cell) !== keyOf(today));
  if (telling.length === 0) {
    const [policy, model] = [base.arm.policy.name, base.model].map((name) => quoted(name));
    throw badOption(
      `Expected '--vary' to name what to tune, because ${policy} has no number of its own that makes a difference on ${model}.`,
    );
  }
  const keys = new Set(telling.map(({ key }) => key));
  return {
    cells: eachOnce([today, control, ...telling.map(({ cell }) => cell)]),
    points: telling.map(({ key, value, cell }) => ({ key, value, cell: cell.id })),
    idle: axes.flatMap(({ key }) => (keys.has(key) ? [] : [key])),
  };
}

function combine(axes: readonly SettingAxis[]) {
  const points = axes.reduce<readonly SettingValues[]>(
    (all, { key, values }) =>
      all.flatMap((point) => [point, ...values.map((value) => ({ ...point, [key]: value }))]),
    [{}],
  );
  return points.filter((point) => Object.keys(point).length > 1);
}

function toGridPlan(
  search: Search,
  varied: readonly SettingName[],
  grid: readonly { readonly cell: Cell; readonly settings: SettingValues }[],
) {
  const { today, control } = search;
  const settings = todaysSettings(varied, search);
  const own = grid.find(
    (point) =>
      Object.entries(point.settings).every(([key, value]) => settings[key] === value) &&
      outcomeKey(point.cell) === outcomeKey(today),
  );
  const others = grid.filter((point) => point !== own);
  const planned: TuneOptions = {
    ...search,
    today: { id: today.id, settings },
    control: control.id,
    varied,
    cells: [
      { id: today.id, settings: own?.settings ?? {} },
      ...others.map(({ cell, settings: point }) => ({ id: cell.id, settings: point })),
    ],
  };
  return { cells: eachOnce([today, control, ...others.map(({ cell }) => cell)]), search: planned };
}

function withinBounds(axes: readonly SettingAxis[], constraints: readonly Constraint[]) {
  const ofSettings = constraints.filter(({ of }) => of === 'setting');
  const narrowed = axes.map(({ key, values }) => {
    const own = ofSettings.filter(({ name }) => name === key);
    const left = values.filter((value) => own.every((constraint) => isWithin(value, constraint)));
    if (left.length > 0) return { key, values: left };
    throw badOption(
      `Expected '--within' to leave at least one value of '${key}', got none of ${values.join(', ')}.`,
    );
  });
  const varied: readonly string[] = axes.map(({ key }) => key);
  const other = ofSettings.find(({ name }) => !varied.includes(name));
  if (other === undefined) return narrowed;
  throw badOption(
    `Expected '--within' to bound a metric or a setting that varies (${varied.join(', ')}), got ${quoted(other.name)}.`,
  );
}

/** Given settings win over those of the policy. */
function todaysSettings(
  varied: readonly SettingName[],
  { base, inUse }: Pick<Search, 'base' | 'inUse'>,
) {
  const values = varied.map((key) => [key, base.settings[key] ?? todaysValue(key, inUse)] as const);
  return Object.fromEntries(
    values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
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
