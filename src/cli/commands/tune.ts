import { policies as presets } from '../../engine/index.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, checkEachOnce, quoted } from '../../simulator/lib/names.ts';
import { countsAs } from '../../simulator/metrics/record.ts';
import { addedBy } from '../../simulator/metrics/metrics.ts';
import {
  countRecordedModels,
  type Origin,
  type RecordedModels,
} from '../../simulator/report/origin.ts';
import { countBaselines, describeBaselines } from '../../simulator/report/kept.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { NamedSettings, Objective } from '../../simulator/report/tune-report.ts';
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
  defaultAxes,
  type InUse,
  type SettingAxis,
  todaysValue,
} from '../../simulator/sweep/tune/default-axes.ts';
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
import { chooseModel, describeGiven, readSettings } from '../plan/settings.ts';
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

/** The search, with the cells to run for it. */
interface TunePlan extends Omit<TuneOptionsOfTune, 'cells'> {
  /** Names as rows have them. */
  readonly policy: string;
  readonly model: string;
  readonly cells: readonly (Cell & { readonly settings: SettingValues })[];
  readonly tuned: TuneOptionsOfTune['cells'];
  readonly mode: RunMode;
  readonly origin: Origin;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
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

const DEFAULT_OBJECTIVES = 'cost,regret,compactions';

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
    "a setting and its values; can be repeated (default: the policy's most influential ones, around today's values)",
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
    const { summarizer } = options;
    const out = openReport(tuneFormats, 'tune format');
    const jobs = parseJobs(options.jobs);
    const plan = planTuning(options, io.env);
    const found = findInputs(inputs);
    out.checkInputs([...found.files, ...settingFiles(options)]);
    printNotes(io, plan.notes);
    if (options.dryRun) return estimateGrid({ ...plan, seeds: [plan.seed] }, found, io);
    leaveCoresTo(jobs);
    const observed = await withSpent(plan.models?.registry, io, () =>
      observe(plan, { inputs: found, jobs }, io),
    );
    if (observed === undefined) return undefined;
    const { observations, unread, recorded } = observed;
    if (observations.length === 0) throw noInput(unread);
    const outcome = tune(observations, { ...plan, cells: plan.tuned });
    if (outcome.state === 'inconclusive') {
      printNote(io, `Nothing can be tuned: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const { mode, policy, model } = plan;
    const origin = { ...plan.origin, recorded };
    const savings = describeSavingsOf(plan, observations);
    const tuned = { ...outcome.tuned, ...(savings.length > 0 && { savings }) };
    const report = { policy, model, summarizer, mode, origin, ...tuned, unread };
    const hasFailed = observations.some(({ state }) => state === 'failed');
    const isWhole = unread.length === 0 && !hasFailed;
    const shown = anonymiserFor(options).copy(report);
    return out.finish(out.format(shown, out.terminal), isWhole ? EXIT.done : EXIT.failed);
  },
});

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
  const control = resolveCell(
    { ...base, arm: parseArm(presets.none.name), ...WITHOUT_MODEL },
    sources,
  );
  const settings = todaysSettings(varied, base, (key) => todaysValue(key, inUse));
  const own = grid.find((point) => isToday(point, today, settings));
  const others = grid.filter((point) => point !== own);
  return {
    objectives,
    constraints,
    heldOutShare,
    seed,
    varied,
    policy: base.arm.policy.name,
    model: base.model,
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

/** Runs every session in every cell; `undefined` if the user wanted to stop. */
async function observe(
  plan: TunePlan,
  { inputs, jobs }: { readonly inputs: RunInputs; readonly jobs: number },
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
        noteDropped(io, found.dropped);
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
function describeSavingsOf(
  plan: TunePlan,
  observations: readonly Observation[],
): readonly string[] {
  const isAsked = neededMetrics(plan).some((name) => SAVINGS.has(name));
  if (!isAsked) return [];
  const runs = observations.map(({ values, ...run }) => ({ ...run, metrics: values }));
  return describeBaselines(countBaselines(runs), 0);
}

function neededMetrics({ objectives, constraints }: TunePlan): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  return [...new Set([...names, ...SHOWN_METRICS, REFUSALS, SIZE_METRIC])];
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
  const { settings: own, ...named } = parseArm(options.policy);
  const { summarizer } = options;
  const opened = openRegistry(options, environment);
  const { catalog, registry } = opened;
  const model = chooseModel(options.model, { settings, catalog });
  const arm = { ...named, settings: {} };
  const base: CellChoice = { arm, model, summarizer, settings: { ...values, ...own } };
  const common = { catalog, registry, mode: readMode(options) };
  const sources = { ...common, summaryModel: config?.summaryModel, summaryPrompt };
  const notes = [
    ...describeGiven({ settings, models: [model], catalog }),
    ...describeUnasked(options, [summarizer]),
  ];
  return { base, sources, opened, notes };
}

/**
 * The settings that are tuned with the values that constraints leave of each: those that `--vary` names, else those
 * that make a difference. Throws where nothing is left, and where a constraint bounds what does not vary.
 */
function planAxes(
  vary: readonly string[],
  constraints: readonly Constraint[],
  today: Today,
): readonly SettingAxis[] {
  const given = parseAxes(vary).map(toSettingAxis);
  const chosen = given.length === 0 ? chooseAxes(today) : given;
  const axes = chosen.map((axis) => narrow(axis, constraints));
  checkBounded(axes, constraints);
  return axes;
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

/** A default grid; throws where nothing of the policy would make a difference. */
function chooseAxes({ inUse, base, sources }: Today): readonly SettingAxis[] {
  const keyAt = (axis: SettingAxis, value: SettingValue) =>
    effectiveKey(resolveCell(toChoice(base, [axis], [value]), sources));
  const axes = defaultAxes(
    inUse,
    (axis) => new Set(axis.values.map((value) => keyAt(axis, value))).size > 1,
  );
  if (axes.length > 0) return axes;
  throw badOption(
    `Expected '--vary' to name what to tune, because ${quoted(base.arm.policy.name)} has no number of its own that makes a difference on ${quoted(base.model)}.`,
  );
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

function eachOnce(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}
