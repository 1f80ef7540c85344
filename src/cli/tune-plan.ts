import type { Environment } from '../simulator/environment.ts';
import { policies as presets, type Policy } from '../engine/index.ts';
import { checkEachOnce } from '../simulator/each-once.ts';
import { badOption, HarnessError } from '../simulator/errors.ts';
import { named, quoted } from '../simulator/names.ts';
import type { Loop } from '../simulator/report/loop.ts';
import type { NamedSettings, Objective } from '../simulator/report/tune/tune-report.ts';
import type { SettingValue } from '../simulator/scenario/setting.ts';
import type { SettingName, SettingValues } from '../simulator/scenario/settings.ts';
import { type Axis, expandAxes, parseAxes, toChoice } from '../simulator/sweep/grid/axes.ts';
import type { Cell } from '../simulator/sweep/grid/cell.ts';
import {
  type CellChoice,
  type CellSources,
  resolveCell,
} from '../simulator/sweep/grid/resolve-cell.ts';
import { type Constraint, isWithin, parseConstraint } from '../simulator/sweep/tune/constraint.ts';
import { effectiveKey } from '../simulator/sweep/run/effective-key.ts';
import { defaultAxes, type SettingAxis } from '../simulator/sweep/tune/default-axes.ts';
import { type InUse, todaysValue } from '../simulator/sweep/tune/today.ts';
import { findObjective } from '../simulator/sweep/tune/objective.ts';
import type { TuneOptions } from '../simulator/sweep/tune/tune.ts';
import type { TuneCell } from '../simulator/sweep/tune/tune-table.ts';
import { findGridModels, type GridModels } from './live-cells.ts';
import type { ModelOptions } from './model-options.ts';
import { DEFAULT_SUMMARIZER } from './plan-options.ts';
import { openHouse, parseSeed } from './run-plan.ts';
import { readSettings, type SettingSources } from './run-settings.ts';

/** What the command line says of a grid, as text. */
export interface TunePlanOptions extends SettingSources, ModelOptions {
  readonly objective: readonly string[];
  readonly vary: readonly string[];
  readonly within: readonly string[];
  readonly holdOut: string;
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: string;
  readonly catalog?: string | undefined;
  readonly closedLoop?: true | undefined;
}

/** What is tuned, with the cells that have to be run for it. */
export interface TunePlan extends Omit<TuneOptions, 'cells'> {
  readonly cells: readonly (Cell & { readonly settings: SettingValues })[];
  readonly tuned: TuneOptions['cells'];
  readonly loop: Loop;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
}

/** A point of the grid: what it varies, and what that comes to. */
interface GridPoint {
  readonly cell: Cell;
  readonly settings: SettingValues;
}

/** Names that axes may have and that are no settings. */
const CHOICES: readonly string[] = ['policy', 'model', 'summarizer'];

const SHARE = /^0?\.\d+$|^0$/;

/** Checks everything that tuning is made of; throws at the first thing that is wrong. */
export function planTuning(options: TunePlanOptions, environment: Environment): TunePlan {
  const objectives = findObjectives(options.objective);
  const constraints = options.within.map(parseConstraint);
  const heldOutShare = parseShare(options.holdOut);
  const seed = parseSeed(options.seed);
  const { base, sources, opened } = readBase(options, environment);
  const today = resolveCell(base, sources);
  const inUse = { policy: today.policy, limits: today.model.limits };
  const given = parseAxes(options.vary).map(toSettingAxis);
  const chosen = given.length === 0 ? chooseAxes(inUse, base, sources) : given;
  const axes = chosen.map((axis) => narrow(axis, constraints));
  const varied = axes.map(({ key }) => key);
  checkBounded(varied, constraints);
  const grid = expandAxes(axes).map((point): GridPoint => {
    const cell = resolveCell(toChoice(base, axes, point), sources);
    return { cell, settings: Object.fromEntries(varied.map((key, index) => [key, point[index]])) };
  });
  const control = resolveCell({ ...base, policy: presets.none, ...WITHOUT_MODEL }, sources);
  const settings = todaysSettings(varied, base, (key) => todaysValue(key, inUse));
  return {
    objectives,
    constraints,
    heldOutShare,
    seed,
    varied,
    loop: sources.isClosedLoop ? 'closed' : 'open',
    models: findGridModels([base.summarizer], seed, opened),
    today: { id: today.id, settings },
    control: control.id,
    cells: eachOnce([today, control, ...grid.map(({ cell }) => cell)]),
    tuned: todayFirst(today, grid),
  };
}

/** A default grid; throws where nothing of the policy would make a difference. */
function chooseAxes(inUse: InUse, base: CellChoice, sources: CellSources): readonly SettingAxis[] {
  const keyAt = (axis: SettingAxis, value: SettingValue) =>
    effectiveKey(resolveCell(toChoice(base, [axis], [value]), sources));
  const axes = defaultAxes(
    inUse,
    (axis) => new Set(axis.values.map((value) => keyAt(axis, value))).size > 1,
  );
  if (axes.length > 0) return axes;
  throw badOption(
    `Expected '--vary' to name what to tune, because ${quoted(base.policy.name)} has no number of its own that makes a difference on ${quoted(base.model)}.`,
  );
}

/** What may be chosen. Where today is a point of the grid, it is one like the others, else it has no settings. */
function todayFirst(today: Cell, grid: readonly GridPoint[]): TunePlan['tuned'] {
  const points = grid.map(({ cell: { id }, settings }) => ({ id, settings }));
  const isToday = ({ id }: TuneCell) => id === today.id;
  const own = points.find(isToday) ?? { id: today.id, settings: {} };
  return [own, ...points.filter((point) => !isToday(point))];
}

/** Amounts with commas between them; throws where one has no name, or is named twice. */
function findObjectives(texts: readonly string[]): readonly Objective[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  if (names.length === 0 || names.includes('')) {
    throw badOption(
      `Expected '--objective' to be names of metrics separated by commas, got ${quoted(texts.join(','))}.`,
    );
  }
  const found = names.map(findObjective);
  checkEachOnce(
    '--objective',
    names,
    found.map(({ metric }) => metric),
  );
  return found;
}

/** The control asks for no summary. */
const WITHOUT_MODEL = { summarizer: DEFAULT_SUMMARIZER };

function eachOnce(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}

function readBase(options: TunePlanOptions, environment: Environment) {
  const { values, config, summaryPrompt } = readSettings(options, environment);
  const policy = named<Record<string, Policy>>('policy', presets, options.policy);
  const { model, summarizer } = options;
  const base: CellChoice = { policy, model, summarizer, settings: values };
  const opened = openHouse(options, environment);
  const { catalog, house } = opened;
  const own = { catalog, house, isClosedLoop: options.closedLoop === true };
  const sources = { ...own, summaryModel: config?.summaryModel, summaryPrompt };
  return { base, sources, opened };
}

function toSettingAxis(axis: Axis): SettingAxis {
  if (isSettingAxis(axis)) return axis;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--vary' to name a setting, got ${quoted(axis.key)}: only 'sweep' and 'compare' vary it.`,
  );
}

function isSettingAxis(axis: Axis): axis is SettingAxis {
  return !CHOICES.includes(axis.key);
}

/** An axis without the values that a constraint on its setting forbids. */
function narrow(axis: SettingAxis, constraints: readonly Constraint[]): SettingAxis {
  const own = constraints.filter(({ of, name }) => of === 'setting' && name === axis.key);
  const values = axis.values.filter((value) =>
    own.every((constraint) => isWithin(value, constraint)),
  );
  if (values.length > 0) return { key: axis.key, values };
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--within' to leave at least one value of '${axis.key}', got none of ${axis.values.join(', ')}.`,
  );
}

/** What does not vary has one value, which no range can choose. */
function checkBounded(varied: readonly string[], constraints: readonly Constraint[]): void {
  const other = constraints.find(({ of, name }) => of === 'setting' && !varied.includes(name));
  if (other === undefined) return;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--within' to bound a metric or a setting that varies (${varied.join(', ')}), got ${quoted(other.name)}.`,
  );
}

/** What was set wins over what the policy has of its own. */
function todaysSettings(
  varied: readonly SettingName[],
  { settings }: CellChoice,
  valueOf: (key: SettingName) => SettingValue | undefined,
): NamedSettings {
  const entries = varied.flatMap((key) => {
    const value = settings[key] ?? valueOf(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function parseShare(text: string): number {
  if (SHARE.test(text)) return Number(text);
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--hold-out' to be a share of the sessions of at least 0 and below 1, got ${quoted(text)}.`,
  );
}
