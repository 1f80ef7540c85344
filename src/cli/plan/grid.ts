import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { checkEachOnce, quoted } from '../../simulator/lib/names.ts';
import { splitAtCommas } from '../../simulator/lib/text.ts';
import { type Catalog, lookUpModel } from '../../simulator/provider/catalog.ts';
import type { ModelSettings, SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { OWN_SUMMARIES } from '../../simulator/replay/foreign/compactor.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { type Arm, parseArm } from '../../simulator/scenario/arms.ts';
import { findSummarizer, makesWait } from '../../simulator/summarizer/summarizers.ts';
import {
  adapterCell,
  type Axis,
  buildGrid,
  type Cell,
  type Grid,
  parseAxes,
  recordedCell,
  toChoiceAxis,
} from '../../simulator/sweep/grid.ts';
import type { LiveCells } from '../../simulator/sweep/live.ts';
import { type PlanOptions, planSweep } from '../../simulator/sweep/plan.ts';
import { CAN_START_WORKERS } from '../../simulator/sweep/pool/pool.ts';
import { partPlaces, runLive, tasksOf } from '../../simulator/sweep/run-plan.ts';
import { noInput, type RunInputs } from '../inputs.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import {
  ADAPTER_SPENDS,
  type AdapterChoice,
  checkOpenLoop,
  type OpenAdapter,
  planAdapter,
  toAdapterArm,
} from './adapter.ts';
import { describeUnasked, type ModelOptions, noModel, printEstimates } from './models.ts';
import {
  parseNames,
  parseRepeats,
  sourceOptions,
  seedOption,
  MODEL_BY_DEFAULT,
  POLICY_BY_DEFAULT,
  DEFAULT_SUMMARIZER,
} from './options.ts';
import { NO_DEFAULTS } from './defaults.ts';
import {
  checkNothingSet,
  openRegistry,
  type OpenRegistry,
  parseSeed,
  readMode,
  type PlanStart,
} from './plan.ts';
import { parsePolicies } from './policies.ts';
import {
  chooseModel,
  describeGiven,
  describeSmallWindow,
  readSettings,
  settingIn,
} from './settings.ts';
import { repeated, option, type OptionsOf } from '../command.ts';

/** The options that a grid is made of. */
export const gridOptions = {
  vary: repeated(
    '--vary <key=a,b,c>',
    'values of a setting, or of policy, model or summarizer; can be repeated',
  ),
  policy: repeated(
    '--policy <name,...>',
    `presets to vary over; recorded is what really happened (default: ${POLICY_BY_DEFAULT})`,
  ),
  model: repeated(
    '--model <provider/id,...>',
    `models to vary over (default: ${MODEL_BY_DEFAULT})`,
  ),
  summarizer: repeated(
    '--summarizer <name,...>',
    `summarizers to vary over; ai:PROVIDER/MODEL is a real model (default: ${DEFAULT_SUMMARIZER})`,
  ),
  ...sourceOptions({ set: 'change a setting in all cells; can be repeated' }),
  trials: option('--trials <number>', 'seeds per cell', '1'),
  seed: seedOption('the first seed'),
};

type GridOptions = OptionsOf<typeof gridOptions> & ModelOptions & AdapterChoice;

/** A grid with what its runs need besides. */
export interface SweepGrid
  extends Pick<Grid, 'axes'>,
    Pick<PlanOptions, 'cells' | 'recorded' | 'setupOf'> {
  readonly seeds: readonly number[];
  readonly catalog: Catalog;
  readonly mode: RunMode;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  /** Somebody's own compaction, with a cell for each model; absent for none. */
  readonly adapter?: OpenAdapter | undefined;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

type Choice = (typeof CHOICES)[number];

/** A grid whose price is to be told. */
interface EstimatedGrid extends Pick<PlanOptions, 'cells' | 'seeds'> {
  readonly models?: GridModels | undefined;
}

/** Real models that the cells of a grid ask. */
export interface GridModels {
  readonly settings: ModelSettings;
  readonly registry: SummarizerRegistry;
  /** Summarizers as asked for, by their name in rows. */
  readonly askedFor: ReadonlyMap<string, string>;
  /** The seed of the first trial. */
  readonly firstSeed: number;
}

const MOST_CELLS = 100_000;

const CHOICES = ['policy', 'model', 'summarizer'] as const;

/** Plurals of the choices, in the words of errors. */
const NAMES_OF: Readonly<Record<Choice, string>> = {
  policy: 'names of presets',
  model: 'names of models',
  summarizer: 'names of summarizers',
};

/** Beside a thread that works, V8 keeps most of another core busy with compiling its hot functions. */
const CORES_OF_A_JOB = 2;

/** Functions have to be six times as hot, and take in a third of what they call. */
const LESS_COMPILING = ['--interrupt-budget=400000', '--max-inlined-bytecode-size-cumulative=300'];

/** Checks everything that a grid is made of; throws at the first thing that is wrong. */
export function planGrid(
  options: GridOptions,
  environment: Environment,
  { defaults = NO_DEFAULTS, opened = openRegistry(options, environment) }: PlanStart = {},
): SweepGrid {
  const { policy, setupOf, notes: taken } = defaults;
  checkOpenLoop(options);
  const adapter = planAdapter(options);
  const { catalog, registry } = opened;
  const axes = readAxes(options, catalog);
  const settings = readSettings(options, environment);
  const { values, config, summaryPrompt } = settings;
  const { arms, isRecordedAsked: isAsked, notes: renamed } = parsePolicies(options.policy);
  const isAlone = isAsked && arms.length === 0;
  if (isAlone) checkNothingSet({ ...options, set: [...options.set, ...options.vary] });
  for (const { key } of axes) checkNotSet(key, options.set, arms);
  const seeds = readSeeds(options);
  const cells = axes.reduce((product, axis) => product * axis.values.length, 1);
  if (cells > MOST_CELLS) {
    throw badOption(`Expected at most ${MOST_CELLS} cells, got ${cells} of what is varied.`);
  }
  const [arm = parseArm(policy)] = arms;
  const [given] = splitAtCommas(options.model);
  const usual = given === undefined ? defaults.usual : undefined;
  const model = usual?.id ?? chooseModel(given, { settings, catalog });
  const summarizer = first(options.summarizer, DEFAULT_SUMMARIZER);
  const base = { arm, model, summarizer, settings: values };
  const mode = readMode(options);
  const summaries = { summaryModel: config?.summaryModel, summaryPrompt };
  const sources = { catalog, usual, registry, mode, ...summaries };
  const grid = buildGrid(base, axes, sources);
  const summarizers = namesOf('summarizer', summarizer, axes);
  const models = findGridModels(summarizers, seeds[0] ?? 0, opened);
  const notes = [
    ...taken,
    ...renamed,
    ...describeGiven({ settings, models: usual ? [] : namesOf('model', model, axes), catalog }),
    ...describeUnasked(options, summarizers),
    ...grid.cells.flatMap((cell) => describeSmallWindow(cell.model, cell.settings)).slice(0, 1),
    ...(adapter === undefined ? [] : [ADAPTER_SPENDS]),
  ];
  const recorded = { cells: onceEach(grid.cells.map(recordedCell)), isAsked };
  const own = adapter === undefined ? [] : onceEach(grid.cells.map(adapterCell));
  const cellsOfAll = [...(isAlone ? [] : grid.cells), ...own];
  const cellsToRun = { axes, cells: cellsOfAll, recorded, seeds, setupOf };
  return { ...cellsToRun, catalog, mode, models, adapter, notes };
}

/** Prints what the real models of a grid might cost over some sessions, and asks none; the exit code. */
export async function estimateGrid(
  { cells, seeds, models }: EstimatedGrid,
  inputs: RunInputs,
  io: CliIo,
): Promise<number> {
  if (models === undefined) throw noModel(namesOfEstimateGrid(cells));
  const plan = await planSweep({ ...inputs, cells, seeds, signal: io.signal });
  if (plan === undefined) return EXIT.interrupted;
  if (plan.sessions.length === 0) {
    throw noInput([...inputs.unread, ...plan.unread]);
  }
  const live = toLiveCells(models);
  const { own: isDone } = partPlaces(plan, { live, isDone: () => false });
  const tasks = tasksOf(plan, [...plan.sessions.keys()], { isDone });
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  for await (const _ of runLive(plan, tasks, { live, cacheFolder, signal: io.signal })) {
    // The stand-in answers at once; a signal is heard only between two sessions.
    await setImmediate();
  }
  if (io.signal.aborted) return EXIT.interrupted;
  return printEstimates(io, models.registry, namesOfEstimateGrid(cells));
}

/** The real models among summarizers; absent where there is none. Throws where two names mean the same summarizer. */
export function findGridModels(
  names: readonly string[],
  firstSeed: number,
  { registry, settings }: Pick<OpenRegistry, 'registry' | 'settings'>,
): GridModels | undefined {
  const nameOf = new Map<string, string>();
  for (const name of new Set(names)) {
    const own = registry.identify(name).name;
    const twin = nameOf.get(own);
    if (twin !== undefined) {
      const got = `${quoted(twin)} and ${quoted(name)}`;
      throw badOption(`Expected each summarizer once, got ${got}.`);
    }
    nameOf.set(own, name);
  }
  const askedFor = new Map([...nameOf].filter(([, name]) => makesWait(name)));
  return askedFor.size === 0 ? undefined : { settings, registry, askedFor, firstSeed };
}

/** All of them, to be asked before anything is run. */
export function askingOf({ registry, askedFor }: GridModels) {
  return { registry, names: askedFor.values() };
}

/** The cells that ask them. Throws where one cannot be asked, before anything is run. */
export function toLiveCells({ settings, registry, askedFor, firstSeed }: GridModels): LiveCells {
  const find = (name: string) => registry.find(askedFor.get(name) ?? name);
  for (const name of askedFor.keys()) find(name);
  return {
    isLive: ({ summarizer }) => askedFor.has(summarizer),
    find,
    tasksAtOnce: settings.isDryRun ? 1 : settings.concurrency,
    firstSeed,
  };
}

/** The cells that others answer: real models, or somebody's own compaction. Throws as `toLiveCells`. */
export function findLiveCells(
  { models, adapter, seeds }: Pick<SweepGrid, 'models' | 'adapter' | 'seeds'>,
  io: Pick<CliIo, 'signal'>,
): LiveCells | undefined {
  const asked = models && toLiveCells(models);
  const own = toAdapterArm(adapter, io);
  if (own === undefined) return asked;
  const alone = { find: findSummarizer, tasksAtOnce: 1, firstSeed: seeds[0] ?? 0 };
  return {
    ...(asked ?? alone),
    isLive: (cell) => isOfAdapter(cell) || asked?.isLive(cell) === true,
    adapter: own,
  };
}

/** Flags for V8 with that many threads; empty if cores are left for its compiler. */
export function compilerFlags({ jobs, cores }: { jobs: number; cores: number }): readonly string[] {
  return jobs * CORES_OF_A_JOB > cores ? LESS_COMPILING : [];
}

/** Has this process compile less if its threads need the cores. It cannot be taken back. */
export function leaveCoresTo(jobs: number): void {
  // Without workers there is one thread, and it need not be a process of ours.
  if (!CAN_START_WORKERS) return;
  const flags = compilerFlags({ jobs, cores: availableParallelism() });
  for (const flag of flags) setFlagsFromString(flag);
}

/** Tests if a cell is of somebody's own compaction. */
function isOfAdapter({ summarizer }: Pick<Cell, 'summarizer'>): boolean {
  return summarizer === OWN_SUMMARIES;
}

/** Cells that differ in their model alone, each once. */
function onceEach(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}

function first(lists: readonly string[], byDefault: string): string {
  return lists.length === 0 ? byDefault : (splitAtCommas(lists)[0] ?? '');
}

/** Where several policies, models or summarizers are named, they are varied before everything else. */
function readAxes(options: GridOptions, catalog: Catalog): readonly Axis[] {
  const varied = parseAxes(options.vary).map((axis) => withModels(axis, catalog));
  const chosen = CHOICES.flatMap((key) => {
    const all = parseNames(`--${key}`, options[key], NAMES_OF[key]);
    const names = key === 'policy' ? all.filter((name) => name !== RECORDED) : all;
    if (names.length > 0 && varied.some((axis) => axis.key === key)) {
      throw badOption(`Expected '--${key}' or '--vary ${key}', got both.`);
    }
    return names.length > 1 ? [withModels(toChoiceAxis(key, names), catalog)] : [];
  });
  return [...chosen, ...varied];
}

/** Models by the names that rows have of them. */
function withModels(axis: Axis, catalog: Catalog): Axis {
  if (axis.key !== 'model') return axis;
  const texts = axis.values.map(String);
  const values = texts.map((name) => lookUpModel(catalog, name)?.id ?? name);
  checkEachOnce('--model', texts, values);
  return { ...axis, values };
}

function checkNotSet(key: string, set: readonly string[], arms: readonly Arm[]): void {
  const isOwn = arms.some(({ settings }) => Object.hasOwn(settings, key));
  if (isOwn || set.map(settingIn).includes(key)) {
    throw badOption(`Expected ${quoted(key)} to be either varied or set, got both.`);
  }
}

function readSeeds({ trials, seed }: GridOptions): readonly number[] {
  const count = parseRepeats('--trials', trials);
  const start = parseSeed(seed);
  return Array.from({ length: count }, (_, index) => parseSeed(String(start + index)));
}

/** Names as they were asked for. */
function namesOf(choice: Choice, base: string, axes: readonly Axis[]): readonly string[] {
  const varied = axes.find(({ key }) => key === choice);
  return varied === undefined ? [base] : varied.values.map(String);
}

function namesOfEstimateGrid(cells: EstimatedGrid['cells']): string {
  return [...new Set(cells.map(({ summarizer }) => summarizer))].join(', ');
}
