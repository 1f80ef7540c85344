import type { Environment } from '../../simulator/environment.ts';
import { policies as presets, type Policy } from '../../engine/index.ts';
import { checkEachOnce } from '../../simulator/each-once.ts';
import { badValue } from '../../simulator/bad-value.ts';
import { named } from '../../simulator/names.ts';
import type { RunMode } from '../../simulator/events.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { NamedSettings, Objective } from '../../simulator/report/tune/tune-report.ts';
import type { SettingValue } from '../../simulator/scenario/setting.ts';
import type { SettingName, SettingValues } from '../../simulator/scenario/settings.ts';
import { expandAxes, toChoice } from '../../simulator/sweep/grid/axes.ts';
import type { Cell } from '../../simulator/sweep/grid/cell.ts';
import { type CellChoice, resolveCell } from '../../simulator/sweep/grid/resolve-cell.ts';
import { effectiveKey } from '../../simulator/sweep/run/effective-key.ts';
import { parseConstraint } from '../../simulator/sweep/tune/constraint.ts';
import { todaysValue } from '../../simulator/sweep/tune/today.ts';
import { findObjective } from '../../simulator/sweep/tune/objective.ts';
import type { TuneOptions } from '../../simulator/sweep/tune/tune.ts';
import { findGridModels, type GridModels } from '../models/live-cells.ts';
import type { ModelOptions } from '../models/options.ts';
import { describeUnasked } from '../models/unasked.ts';
import { parseNames } from '../options/parse-names.ts';
import { DEFAULT_SUMMARIZER, readMode } from '../options/plan-options.ts';
import { openRegistry, parseSeed } from '../run/plan.ts';
import { describeGiven } from '../run/notes.ts';
import { originOf } from '../run/origin.ts';
import { readSettings, type SettingSources } from '../run/settings.ts';
import { planAxes } from './axes.ts';

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
  readonly mode: RunMode;
  readonly origin: Origin;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  /** What somebody may not expect of it, one sentence each. */
  readonly notes: readonly string[];
}

/** A point of the grid: what it varies, and what that comes to. */
interface GridPoint {
  readonly cell: Cell;
  readonly settings: SettingValues;
}

/** The control asks for no summary. */
const WITHOUT_MODEL = { summarizer: DEFAULT_SUMMARIZER };
const SHARE = /^0?\.\d+$|^0$/;

/** Checks everything that tuning is made of; throws at the first thing that is wrong. */
export function planTuning(options: TunePlanOptions, environment: Environment): TunePlan {
  const objectives = findObjectives(options.objective);
  const constraints = options.within.map(parseConstraint);
  const heldOutShare = parseShare(options.holdOut);
  const seed = parseSeed(options.seed);
  const { base, sources, opened, notes } = readBase(options, environment);
  const today = resolveCell(base, sources);
  const inUse = { policy: today.policy, limits: today.model.limits };
  const axes = planAxes(options.vary, constraints, { inUse, base, sources });
  const varied = axes.map(({ key }) => key);
  const grid = expandAxes(axes).map((point): GridPoint => {
    const cell = resolveCell(toChoice(base, axes, point), sources);
    return { cell, settings: Object.fromEntries(varied.map((key, index) => [key, point[index]])) };
  });
  const control = resolveCell({ ...base, policy: presets.none, ...WITHOUT_MODEL }, sources);
  const settings = todaysSettings(varied, base, (key) => todaysValue(key, inUse));
  const own = grid.find((point) => isToday(point, today, settings));
  const others = grid.filter((point) => point !== own);
  return {
    objectives,
    constraints,
    heldOutShare,
    seed,
    varied,
    mode: sources.mode,
    origin: originOf(opened.catalog, [base.model], base.settings),
    models: findGridModels([base.summarizer], seed, opened),
    notes,
    today: { id: today.id, settings },
    control: control.id,
    cells: eachOnce([today, control, ...others.map(({ cell }) => cell)]),
    tuned: [
      { id: today.id, settings: own?.settings ?? {} },
      ...others.map(({ cell, settings: point }) => ({ id: cell.id, settings: point })),
    ],
  };
}

/** Whether a point of the grid is what is in use, also where the policy says so itself and nothing was set. */
function isToday(
  { cell, settings }: GridPoint,
  today: Cell,
  inUse: TunePlan['today']['settings'],
): boolean {
  return (
    Object.entries(settings).every(([key, value]) => inUse[key] === value) &&
    effectiveKey(cell) === effectiveKey(today)
  );
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

function eachOnce(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}

function readBase(options: TunePlanOptions, environment: Environment) {
  const settings = readSettings(options, environment);
  const { values, config, summaryPrompt } = settings;
  const policy = named<Record<string, Policy>>('policy', presets, options.policy);
  const { model, summarizer } = options;
  const base: CellChoice = { policy, model, summarizer, settings: values };
  const opened = openRegistry(options, environment);
  const { catalog, registry } = opened;
  const own = { catalog, registry, mode: readMode(options) };
  const sources = { ...own, summaryModel: config?.summaryModel, summaryPrompt };
  const notes = [
    ...describeGiven({ settings, models: [model], catalog }),
    ...describeUnasked(options, [summarizer]),
  ];
  return { base, sources, opened, notes };
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
  throw badValue('--hold-out', 'a share of the sessions of at least 0 and below 1', text);
}
