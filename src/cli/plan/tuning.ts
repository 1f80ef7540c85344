import { policies as presets } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, checkEachOnce, quoted } from '../../simulator/lib/names.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import { readsSetting, type TriggerToday } from '../../simulator/report/agent-keys.ts';
import type { NamedSettings, Objective, Tried } from '../../simulator/report/tune-report.ts';
import type {
  SettingName,
  SettingValue,
  SettingValues,
} from '../../simulator/scenario/settings.ts';
import {
  type Axis,
  type Cell,
  type CellChoice,
  type CellSources,
  expandAxes,
  parseAxes,
  resolveCell,
  toChoice,
} from '../../simulator/sweep/grid.ts';
import type { SetupOf } from '../../simulator/setup/setup.ts';
import { effectiveKey } from '../../simulator/sweep/run/effective-key.ts';
import {
  type Constraint,
  findObjective,
  isWithin,
  parseConstraint,
} from '../../simulator/sweep/tune/constraint.ts';
import {
  judgeScreen,
  type ScreenedPoint,
  valuesToCombine,
} from '../../simulator/sweep/tune/screen.ts';
import {
  type InUse,
  ownUsableTokens,
  screenAxes,
  type SettingAxis,
  todaysValue,
} from '../../simulator/sweep/tune/screen-axes.ts';
import type { Observation } from '../../simulator/sweep/tune/tune-table.ts';
import type { TuneOptions as TuneOptionsOfTune } from '../../simulator/sweep/tune/tune.ts';
import { findGridModels, type GridModels } from './grid.ts';
import { describeUnasked, type ModelOptions } from './models.ts';
import { parseNames, DEFAULT_SUMMARIZER } from './options.ts';
import { NO_DEFAULTS } from './defaults.ts';
import { openRegistry, parseSeed, readMode, type PlanOptions, type PlanStart } from './plan.ts';
import { chooseModel, describeGiven, describeSmallWindow, readSettings } from './settings.ts';
import { originOf } from '../origin.ts';

/** Everything that is asked for, before it is known what varies. */
export interface Asked
  extends Pick<TuneOptionsOfTune, 'objectives' | 'constraints' | 'heldOutShare' | 'seed'> {
  readonly start: Today;
  readonly today: Cell;
  readonly control: Cell;
  readonly mode: RunMode;
  readonly origin: Origin;
  readonly trigger: TriggerToday;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  readonly setupOf?: SetupOf | undefined;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

/** The search, with the cells to run for it. */
export interface TunePlan extends Asked {
  readonly cells: readonly Cell[];
  readonly search: TuneOptionsOfTune;
}

/** The cells that a screen runs. */
export interface ScreenPlan extends Asked {
  readonly cells: readonly Cell[];
  readonly points: readonly ScreenedPoint[];
  /** Settings of which no value that is tried can change a run. */
  readonly idle: readonly SettingName[];
}

/** A point of the grid: what it varies, and what that comes to. */
interface GridPoint {
  readonly cell: Cell;
  readonly settings: SettingValues;
}

/** The cell that settings start from, and what is in use there. */
interface Today {
  readonly inUse: InUse;
  readonly base: CellChoice;
  readonly sources: CellSources;
}

/** The options that decide what is run. */
export interface TunePlanOptions extends Omit<PlanOptions, 'policy'>, ModelOptions {
  readonly objective: readonly string[];
  readonly vary: readonly string[];
  readonly within: readonly string[];
  readonly holdOut: string;
  readonly policy?: string | undefined;
}

/** The control asks for no summary. */
const WITHOUT_MODEL = { summarizer: DEFAULT_SUMMARIZER };
const SHARE = /^0?\.\d+$|^0$/;

/** Names that axes may have and that are no settings. */
const CHOICES: readonly string[] = ['policy', 'model', 'summarizer'];

/** Checks everything that tuning is made of; throws at the first thing that is wrong. Without axes it is a screen. */
export function planTuning(
  options: TunePlanOptions,
  environment: Environment,
  start: PlanStart = {},
): TunePlan | ScreenPlan {
  const asked = readAsked(options, environment, start);
  const given = parseAxes(options.vary).map(toSettingAxis);
  if (given.length === 0) return planScreen(asked);
  const axes = given.map((axis) => narrow(axis, asked.constraints));
  checkBounded(axes, asked.constraints);
  return planGrid(asked, axes);
}

/** The points of a screen that matter, and beside several settings a grid over the telling values of each. */
export function planScreened(plan: ScreenPlan, observations: readonly Observation[]): TunePlan {
  const { base, sources } = plan.start;
  const { axes, tried } = judgeScreen(toScreenSources(plan, observations));
  const varied = axes.map(({ key }) => key);
  const todays = todaysSettings(varied, base, (key) => todaysValue(key, plan.start.inUse));
  const alone = axes.flatMap(({ key, values }) => values.map((value) => ({ [key]: value })));
  const together = axes.length < 2 ? [] : combine(plan, varied, observations);
  // Today's values are left out of a cell, so that it is the one that was screened.
  const grid = [...alone, ...together].map(
    (changed): GridPoint => ({
      cell: resolveCell({ ...base, settings: { ...base.settings, ...changed } }, sources),
      settings: { ...todays, ...changed },
    }),
  );
  const idle = plan.idle.map((setting): Tried => {
    return { setting, matters: false, isVaried: false, leastCost: 0 };
  });
  const found = planPoints(plan, varied, grid);
  return { ...found, search: { ...found.search, tried: [...tried, ...idle] } };
}

function readAsked(options: TunePlanOptions, environment: Environment, start: PlanStart): Asked {
  const objectives = findObjectives(options.objective);
  const constraints = options.within.map(parseConstraint);
  const heldOutShare = parseShare(options.holdOut);
  const seed = parseSeed(options.seed);
  const { base, sources, setupOf, opened, notes } = readBase(options, environment, start);
  const today = resolveCell(base, sources);
  const inUse = { policy: today.policy, limits: today.model.limits };
  return {
    objectives,
    constraints,
    heldOutShare,
    seed,
    start: { inUse, base, sources },
    today,
    control: resolveCell({ ...base, arm: parseArm(presets.none.name), ...WITHOUT_MODEL }, sources),
    mode: sources.mode,
    origin: originOf(opened.catalog, [base.model], base.settings),
    trigger: triggerOf(base.model, inUse),
    models: findGridModels([base.summarizer], seed, opened),
    setupOf,
    notes: [...notes, ...describeSmallWindow(today.model, base.settings)],
  };
}

function triggerOf(model: string, inUse: InUse): TriggerToday {
  const usableTokens = ownUsableTokens(inUse) ?? null;
  return { model, ...inUse.limits, usableTokens };
}

/** Every numeric setting of the policy at a few values, one at a time. Throws where none can change a run. */
function planScreen(asked: Asked): ScreenPlan {
  const { start, today, control, constraints } = asked;
  const { base, sources, inUse } = start;
  const all = screenAxes(inUse).map((axis) => narrow(axis, constraints));
  checkBounded(all, constraints);
  const cellOf = (key: SettingName, value: SettingValue) =>
    resolveCell(toChoice(base, [{ key, values: [value] }], [value]), sources);
  const own = effectiveKey(today);
  const found = all.flatMap(({ key, values }) =>
    values.map((value) => ({ key, value, cell: cellOf(key, value) })),
  );
  const telling = found.filter(({ cell }) => effectiveKey(cell) !== own);
  if (telling.length === 0) throw nothingToScreen(base);
  const keys = new Set(telling.map(({ key }) => key));
  return {
    ...asked,
    cells: eachOnce([today, control, ...telling.map(({ cell }) => cell)]),
    points: telling.map(({ key, value, cell }) => ({ key, value, cell: cell.id })),
    idle: all.flatMap(({ key }) => (keys.has(key) ? [] : [key])),
  };
}

function nothingToScreen({ arm: { policy }, model }: CellChoice): Error {
  return badOption(
    `Expected '--vary' to name what to tune, because ${quoted(policy.name)} has no number of its own that makes a difference on ${quoted(model)}.`,
  );
}

/** A full grid over axes that a person names. */
function planGrid(asked: Asked, axes: readonly SettingAxis[]): TunePlan {
  const { base, sources } = asked.start;
  const varied = axes.map(({ key }) => key);
  const grid = expandAxes(axes).map((point): GridPoint => {
    const cell = resolveCell(toChoice(base, axes, point), sources);
    return { cell, settings: Object.fromEntries(varied.map((key, index) => [key, point[index]])) };
  });
  return planPoints(asked, varied, grid);
}

/** All combinations of at least two settings at other values than today's. */
function combine(
  plan: ScreenPlan,
  varied: readonly SettingName[],
  observations: readonly Observation[],
): readonly SettingValues[] {
  const sources = toScreenSources(plan, observations);
  const axes = varied.map((key) => valuesToCombine(key, sources));
  return axes
    .reduce<readonly SettingValues[]>(
      (points, values, index) =>
        points.flatMap((point) => [
          point,
          ...values.map((value) => ({ ...point, [varied[index] ?? '']: value })),
        ]),
      [{}],
    )
    .filter((point) => Object.keys(point).length > 1);
}

function toScreenSources(plan: ScreenPlan, observations: readonly Observation[]) {
  const { points, objectives, constraints, today, start } = plan;
  const bounded = constraints.filter(({ of }) => of === 'setting').map(({ name }) => name);
  const isReadable = (name: string) => readsSetting(start.base.arm.preset, name);
  return { points, observations, today: today.id, objectives, bounded, isReadable };
}

function planPoints(
  asked: Asked,
  varied: readonly SettingName[],
  grid: readonly GridPoint[],
): TunePlan {
  const { start, today, control } = asked;
  const settings = todaysSettings(varied, start.base, (key) => todaysValue(key, start.inUse));
  const own = grid.find((point) => isToday(point, today, settings));
  const others = grid.filter((point) => point !== own);
  return {
    ...asked,
    cells: eachOnce([today, control, ...others.map(({ cell }) => cell)]),
    search: {
      objectives: asked.objectives,
      constraints: asked.constraints,
      heldOutShare: asked.heldOutShare,
      seed: asked.seed,
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

/** Amounts with commas between them; throws where one has no name, or is named twice. */
function findObjectives(texts: readonly string[]): readonly Objective[] {
  const names = parseNames('--objective', texts, 'names of metrics');
  const found = names.map(findObjective);
  checkEachOnce(
    '--objective',
    names,
    found.map(({ metric }) => metric),
  );
  return found;
}

function parseShare(text: string): number {
  if (SHARE.test(text)) return Number(text);
  throw badValue('--hold-out', 'a share of the sessions of at least 0 and below 1', text);
}

function readBase(
  options: TunePlanOptions,
  environment: Environment,
  { defaults = NO_DEFAULTS, opened = openRegistry(options, environment) }: PlanStart,
) {
  const { policy, setupOf, notes: taken } = defaults;
  const settings = readSettings(options, environment);
  const { values, config, summaryPrompt } = settings;
  const { settings: own, ...named } = parseArm(options.policy ?? policy);
  const { summarizer } = options;
  const { catalog, registry } = opened;
  const usual = options.model === undefined ? defaults.usual : undefined;
  const model = usual?.id ?? chooseModel(options.model, { settings, catalog });
  const arm = { ...named, settings: {} };
  const base: CellChoice = { arm, model, summarizer, settings: { ...values, ...own } };
  const common = { catalog, usual, registry, mode: readMode(options) };
  const sources = { ...common, summaryModel: config?.summaryModel, summaryPrompt };
  const notes = [
    ...taken,
    ...describeGiven({ settings, models: usual ? [] : [model], catalog }),
    ...describeUnasked(options, [summarizer]),
  ];
  return { base, sources, setupOf, opened, notes };
}

function toSettingAxis(axis: Axis): SettingAxis {
  if (isSettingAxis(axis)) return axis;
  throw badOption(
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
  throw badOption(
    `Expected '--within' to leave at least one value of '${axis.key}', got none of ${axis.values.join(', ')}.`,
  );
}

/** A setting that does not vary has one value, which no range can choose. */
function checkBounded(axes: readonly SettingAxis[], constraints: readonly Constraint[]): void {
  const varied: readonly string[] = axes.map(({ key }) => key);
  const other = constraints.find(({ of, name }) => of === 'setting' && !varied.includes(name));
  if (other === undefined) return;
  throw badOption(
    `Expected '--within' to bound a metric or a setting that varies (${varied.join(', ')}), got ${quoted(other.name)}.`,
  );
}

/** Given settings win over those of the policy. */
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

/** Returns true if a point is what is in use, also where only the policy says so. */
function isToday({ cell, settings }: GridPoint, today: Cell, inUse: NamedSettings): boolean {
  return (
    Object.entries(settings).every(([key, value]) => inUse[key] === value) &&
    effectiveKey(cell) === effectiveKey(today)
  );
}

function eachOnce(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}
