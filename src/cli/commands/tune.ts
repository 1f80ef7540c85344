import { policies as presets, type Policy } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, checkEachOnce, named, quoted } from '../../simulator/lib/names.ts';
import { countsAs } from '../../simulator/metrics/record.ts';
import { addedBy } from '../../simulator/metrics/metrics.ts';
import {
  countRecordedModels,
  type Origin,
  type RecordedModels,
} from '../../simulator/report/origin.ts';
import { countBaselines, describeBaselines } from '../../simulator/report/kept.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { readsSetting, type TriggerToday } from '../../simulator/report/agent-keys.ts';
import type { NamedSettings, Objective, Tried } from '../../simulator/report/tune-report.ts';
import { tuneFormats } from '../../simulator/report/tune.ts';
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
import type { PlannedSession } from '../../simulator/sweep/plan.ts';
import { runGrid } from '../../simulator/sweep/run-plan.ts';
import { effectiveKey } from '../../simulator/sweep/run/effective-key.ts';
import type { ResultRow } from '../../simulator/sweep/store/row.ts';
import {
  type Constraint,
  findObjective,
  isWithin,
  parseConstraint,
} from '../../simulator/sweep/tune/constraint.ts';
import {
  COST,
  judgeScreen,
  LOSS_METRICS,
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
import { SHOWN_METRICS } from '../../simulator/sweep/tune/describe-front.ts';
import { neededFor, type Observation, REFUSALS } from '../../simulator/sweep/tune/tune-table.ts';
import {
  SIZE_METRIC,
  tune,
  type TuneOptions as TuneOptionsOfTune,
} from '../../simulator/sweep/tune/tune.ts';
import { findInputs, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import {
  estimateGrid,
  findGridModels,
  type GridModels,
  leaveCoresTo,
  toLiveCells,
} from '../plan/grid.ts';
import { describeUnasked, withSpent, modelOptions, type ModelOptions } from '../plan/models.ts';
import {
  parseJobs,
  parseNames,
  planOptions,
  jobsOption,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
} from '../plan/options.ts';
import { openRegistry, parseSeed, readMode, type PlanOptions } from '../plan/plan.ts';
import { describeGiven, readSettings } from '../plan/settings.ts';
import { type CliIo, EXIT, isStopped } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { printNote, printNotes, settingFiles } from '../process/output.ts';
import { withProgress } from '../process/progress.ts';
import {
  anonymiserFor,
  anonymousOption,
  repeated,
  option,
  reportOptions,
  type OptionsOf,
  defineCommand,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** The result of every session in every cell. */
interface Observed {
  readonly observations: readonly Observation[];
  readonly unread: readonly UnreadInput[];
  readonly recorded: RecordedModels;
}

/** Which sessions are run, and how. */
interface Runs {
  readonly inputs: RunInputs;
  readonly jobs: number;
  /** The same files were read before, so that nothing is noted about them. */
  readonly isAgain?: boolean;
}

/** Everything that is asked for, before it is known what varies. */
interface Asked
  extends Pick<TuneOptionsOfTune, 'objectives' | 'constraints' | 'heldOutShare' | 'seed'> {
  readonly start: Today;
  readonly today: Cell;
  readonly control: Cell;
  readonly mode: RunMode;
  readonly origin: Origin;
  readonly trigger: TriggerToday;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

/** The search, with the cells to run for it. */
interface TunePlan extends Asked {
  readonly cells: readonly Cell[];
  readonly search: Pick<TuneOptionsOfTune, 'cells' | 'today' | 'varied' | 'control' | 'tried'>;
}

/** The cells that a screen runs. */
interface ScreenPlan extends Asked {
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

const DEFAULT_OBJECTIVES = 'cost,misses';

const EXAMPLES = `
Examples:
  $ compaction-bench tune sessions/ --config opencode.json
  $ compaction-bench tune sessions/ --objective cost,regret --vary reserved=10000,20000,40000
  $ compaction-bench tune sessions/ --vary protect=20000,40000 --within compactions=..40 --hold-out 0.3`;

/** The control asks for no summary. */
const WITHOUT_MODEL = { summarizer: DEFAULT_SUMMARIZER };
const SAVINGS: ReadonlySet<string> = new Set(['tokensSaved', 'costSavedUsd']);
const SHARE = /^0?\.\d+$|^0$/;

/** Names that axes may have and that are no settings. */
const CHOICES: readonly string[] = ['policy', 'model', 'summarizer'];

const OPTIONS = {
  objective: repeated(
    '--objective <name,...>',
    `metrics to have less of, or more where more is better, as of tokensSaved (default: ${DEFAULT_OBJECTIVES})`,
    [DEFAULT_OBJECTIVES],
  ),
  vary: repeated(
    '--vary <key=a,b,c>',
    'a setting and its values; can be repeated (default: all numbers of the policy are screened, then those that matter)',
  ),
  within: repeated(
    '--within <key=min..max>',
    'range of a setting, or of a metric over all sessions; can be repeated',
  ),
  holdOut: option('--hold-out <share>', 'share of the sessions kept aside to report on', '0.3'),
  policy: option('--policy <name>', 'preset to tune', DEFAULT_POLICY),
  ...planOptions({
    set: "change one of today's settings; can be repeated",
    config: "take today's settings from an OpenCode configuration",
    seed: 'seed of everything random, the split too',
  }),
  jobs: jobsOption,
  ...reportOptions(tuneFormats),
  ...anonymousOption(),
  ...modelOptions,
};

/** The options that decide what is run. */
export type TunePlanOptions = Omit<PlanOptions, 'policy'> &
  ModelOptions &
  Pick<OptionsOf<typeof OPTIONS>, 'objective' | 'vary' | 'within' | 'holdOut' | 'policy'>;

/** Looks for better settings than today's. */
export const tuneCommand = defineCommand({
  name: 'tune',
  describe: "Search for better settings than today's, and say what to write in the config.",
  arguments: { '[inputs...]': 'files, folders or patterns (default: the shipped sessions)' },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, openReport }) => {
    const { policy, model, summarizer } = options;
    const out = openReport(tuneFormats, 'tune format');
    const jobs = parseJobs(options.jobs);
    const first = planTuning(options, io.env);
    const found = findInputs(inputs);
    out.checkInputs([...found.files, ...settingFiles(options)]);
    printNotes(io, first.notes);
    if (options.dryRun) return estimateGrid({ ...first, seeds: [first.seed] }, found, io);
    leaveCoresTo(jobs);
    const ran = await withSpent(first.models?.registry, io, () =>
      search(first, { inputs: found, jobs }, io),
    );
    if (ran === undefined) return undefined;
    const { plan, observations, unread, recorded } = ran;
    if (observations.length === 0) throw noInput(unread);
    const outcome = tune(observations, toTuneOptions(plan));
    if (outcome.state === 'inconclusive') {
      printNote(io, `Nothing can be tuned: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const { mode } = plan;
    const origin = { ...plan.origin, recorded };
    const savings = describeSavingsOf(plan, observations);
    const tuned = { ...outcome.tuned, ...(savings.length > 0 && { savings }) };
    const { trigger } = plan;
    const report = { policy, model, summarizer, mode, origin, trigger, ...tuned, unread };
    const hasFailed = observations.some(({ state }) => state === 'failed');
    const isWhole = unread.length === 0 && !hasFailed;
    const shown = anonymiserFor(options).copy(report);
    return out.finish(out.format(shown, out.terminal), isWhole ? EXIT.done : EXIT.failed);
  },
});

/** Checks everything that tuning is made of; throws at the first thing that is wrong. Without axes it is a screen. */
export function planTuning(
  options: TunePlanOptions,
  environment: Environment,
): TunePlan | ScreenPlan {
  const asked = readAsked(options, environment);
  const given = parseAxes(options.vary).map(toSettingAxis);
  if (given.length === 0) return planScreen(asked);
  const axes = given.map((axis) => narrow(axis, asked.constraints));
  checkBounded(axes, asked.constraints);
  return planGrid(asked, axes);
}

function readAsked(options: TunePlanOptions, environment: Environment): Asked {
  const objectives = findObjectives(options.objective);
  const constraints = options.within.map(parseConstraint);
  const heldOutShare = parseShare(options.holdOut);
  const seed = parseSeed(options.seed);
  const { base, sources, opened, notes } = readBase(options, environment);
  const today = resolveCell(base, sources);
  const inUse = { policy: today.policy, limits: today.model.limits };
  return {
    objectives,
    constraints,
    heldOutShare,
    seed,
    start: { inUse, base, sources },
    today,
    control: resolveCell({ ...base, policy: presets.none, ...WITHOUT_MODEL }, sources),
    mode: sources.mode,
    origin: originOf(opened.catalog, [base.model], base.settings),
    trigger: triggerOf(options.model, inUse),
    models: findGridModels([base.summarizer], seed, opened),
    notes,
  };
}

function triggerOf(model: string, inUse: InUse): TriggerToday {
  const { contextTokens, inputTokens } = inUse.limits;
  const usableTokens = ownUsableTokens(inUse) ?? null;
  return { model, contextTokens, ...(inputTokens !== undefined && { inputTokens }), usableTokens };
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

function nothingToScreen({ policy, model }: CellChoice): Error {
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

/** The points of a screen that matter, and beside several settings a grid over the telling values of each. */
function planScreened(plan: ScreenPlan, observations: readonly Observation[]): TunePlan {
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
  const isReadable = (name: string) => readsSetting(start.base.policy.name, name);
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

function toTuneOptions({ today: _, control: __, search: own, ...asked }: TunePlan) {
  return { ...asked, ...own };
}

/** Runs what was planned, after a screen also the grid that it leads to; `undefined` if the user wanted to stop. */
async function search(
  first: TunePlan | ScreenPlan,
  how: Runs,
  io: CliIo,
): Promise<(Observed & { readonly plan: TunePlan }) | undefined> {
  const observed = await observe(first, how, io);
  if (observed === undefined) return undefined;
  if ('search' in first) return { ...observed, plan: first };
  const plan = planScreened(first, observed.observations);
  const known = new Set(first.cells.map(({ id }) => id));
  const cells = plan.cells.filter(({ id }) => !known.has(id));
  if (cells.length === 0) return { ...observed, plan };
  const more = await observe({ ...plan, cells }, { ...how, isAgain: true }, io);
  return (
    more && { ...observed, plan, observations: [...observed.observations, ...more.observations] }
  );
}

/** Runs every session in every cell; `undefined` if the user wanted to stop. */
async function observe(
  plan: Asked & Pick<TunePlan, 'cells'>,
  { inputs, jobs, isAgain = false }: Runs,
  io: CliIo,
): Promise<Observed | undefined> {
  const observations: Observation[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const sessions: PlannedSession[] = [];
  const needed = neededMetrics(plan);
  await withProgress(io, async (show) => {
    const rows = runGrid({
      files: inputs.files,
      nameOf: (path) => inputs.nameOf(path),
      cells: plan.cells,
      seeds: [plan.seed],
      live: plan.models && toLiveCells(plan.models),
      jobs,
      cacheFolder: countsFolder(io.cache ?? {}, io.env),
      signal: io.signal,
      onPlanned: (found) => {
        unread.push(...found.unread);
        sessions.push(...found.sessions);
        if (!isAgain) noteDropped(io, found.dropped);
      },
      onProgress: ({ done, total, session }) => show({ file: session, index: done, total }),
    });
    for await (const row of rows) {
      observations.push(toObservation(row, needed));
      if (await isStopped(io)) return;
    }
  });
  return io.signal.aborted
    ? undefined
    : { observations, unread, recorded: countRecordedModels(sessions) };
}

/** The baseline of savings, where any are among what is tuned for. */
function describeSavingsOf(plan: Asked, observations: readonly Observation[]): readonly string[] {
  const isAsked = neededMetrics(plan).some((name) => SAVINGS.has(name));
  if (!isAsked) return [];
  const runs = observations.map(({ values, ...run }) => ({ ...run, metrics: values }));
  return describeBaselines(countBaselines(runs), 0);
}

function neededMetrics({ objectives, constraints }: Asked): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  return [...new Set([...names, ...SHOWN_METRICS, ...LOSS_METRICS, COST, REFUSALS, SIZE_METRIC])];
}

/** Only what is asked for is kept of a row: there may be a million of them. */
function toObservation(row: ResultRow, needed: readonly string[]): Observation {
  const { cell, session, family, impossible, reason = impossible, baseline, eventDigest } = row;
  const metrics: Readonly<Record<string, number | null>> = row.metrics;
  const values = Object.fromEntries(needed.map((name) => [name, addedBy(metrics, name)]));
  return {
    cell,
    session,
    family,
    state: countsAs(row),
    reason,
    baseline,
    digest: eventDigest,
    values,
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
