import { readsSetting } from '../../report/agent-keys.ts';
import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { SettingName, SettingValues } from '../../scenario/settings.ts';
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
} from '../grid.ts';
import { isAnswered } from '../answer/changes.ts';
import { outcomeKey } from '../run/outcomes.ts';
import { meetSetup } from '../run/meet-setup.ts';
import { type Constraint, isWithin } from './constraint.ts';
import { judgeScreen, type ScreenedPoint } from './screen.ts';
import { type InUse, screenAxes, type SettingAxis, todaysValue } from './screen-axes.ts';
import type { Observation } from './tune-table.ts';
import type { TuneOptions } from './tune.ts';

export interface Search
  extends Pick<TuneOptions, 'objectives' | 'constraints' | 'heldOutShare' | 'seed'> {
  readonly base: CellChoice;
  readonly sources: CellSources;
  readonly today: Cell;
  readonly control: Cell;
  readonly inUse: InUse;
  readonly setup?: Setup | undefined;
}

export interface GridPlan {
  readonly cells: readonly Cell[];
  readonly search: TuneOptions;
}

export interface ScreenPlan {
  readonly cells: readonly Cell[];
  readonly points: readonly ScreenedPoint[];
  readonly idle: readonly SettingName[];
}

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

function planScreen(search: Search, axes: readonly SettingAxis[]) {
  const { base, sources, today, control, setup } = search;
  const keyOf = (cell: Cell) => outcomeKey(meetSetup(cell, setup));
  const points = axes.flatMap(({ key, values }) =>
    values.map((value) => {
      const choice = toChoice(base, [{ key, values: [value] }], [value]);
      return { key, value, cell: resolveCell(choice, sources) };
    }),
  );
  const own = keyOf(today);
  const telling = points.filter(({ cell }) => keyOf(cell) !== own);
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
  return {
    cells: eachOnce([today, control, ...others.map(({ cell }) => cell)]),
    search: {
      ...search,
      today: { id: today.id, settings },
      control: control.id,
      varied,
      cells: [
        { id: today.id, settings: own?.settings ?? {} },
        ...others.map(({ cell, settings: point }) => ({ id: cell.id, settings: point })),
      ],
    },
  };
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
