import { policies as presets, type Policy } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted, checkEachOnce } from '../../simulator/lib/names.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import type { AsyncRunOptions } from '../../simulator/replay/run-trace.ts';
import { type Arm, parseArm, isArm } from '../../simulator/scenario/arms.ts';
import type { ProviderOverrides } from '../../simulator/scenario/settings.ts';
import { byName, findRepeats } from '../../simulator/session/find-copies.ts';
import type { Session } from '../../simulator/session/session.ts';
import type { Setup } from '../../simulator/setup/setup.ts';
import { findSummarizer } from '../../simulator/summarizer/summarizers.ts';
import {
  adapterCell,
  buildGrid,
  type Cell,
  eachOnce,
  findProfile,
  isSimulated,
  recordedCell,
  type SimulatedCell,
  type Axis,
  type CellChoice,
  isChoice,
  parseAxes,
  toChoiceAxis,
} from '../../simulator/sweep/grid.ts';
import { scanFiles } from '../../simulator/sweep/pool/scan-files.ts';
import { meetRuns } from '../../simulator/sweep/run/meet-setup.ts';
import type { OptionsOf } from '../command.ts';
import type { RunInputs } from '../inputs.ts';
import type { CliIo } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { type Defaults, NO_DEFAULTS, ofOneAgent, readDefaults, recordedOf } from './defaults.ts';
import {
  ADAPTER_SPENDS,
  findGridModels,
  type OpenRegistry,
  openRegistry,
  planAdapter,
  type GridModels,
} from './live.ts';
import { describeUnasked, type ModelOptions, reachModels } from './models.ts';
import {
  type adapterOptions,
  DEFAULT_SUMMARIZER,
  parseRepeats,
  parseSeed,
  type sourceOptions,
  parseNames,
} from './options.ts';
import {
  chooseModel,
  describeGiven,
  describeSmallWindow,
  describeUnreadSettings,
  type GivenSettings,
  readSettings,
  settingIn,
} from './settings.ts';
import { type Catalog, lookUpModel } from '../../simulator/provider/catalog.ts';
import { outsideOf, releaseIn } from '../../simulator/scenario/recording-agents.ts';

export type PlanOptions = Partial<OptionsOf<ReturnType<typeof sourceOptions>>> &
  Partial<OptionsOf<typeof adapterOptions>> &
  ModelOptions &
  AxisOptions & {
    readonly control?: true;
    readonly reader?: string | undefined;
    readonly judge?: string | undefined;
    readonly trials?: string;
    readonly seed: string;
    readonly scenario?: ScenarioParts | undefined;
  };

export interface ScenarioParts
  extends Pick<AsyncRunOptions, 'model' | 'summaryModel' | 'faults' | 'findModel'> {
  readonly provider: ProviderOverrides;
}

/** Everything that a command runs, checked: a cell for each combination of what varies. */
export type Plan = ReturnType<typeof makePlan>;

/** A plan of policies on one model, or on that of each session. */
export type LivePlan = ReturnType<typeof toRun> & Pick<AsyncRunOptions, 'modelChanges'>;

export type RunPlan = ReturnType<typeof planRun> & Pick<AsyncRunOptions, 'modelChanges'>;

interface PlanStart {
  readonly defaults?: Defaults | undefined;
  readonly opened?: OpenRegistry;
}

export interface AxisOptions {
  readonly policy?: string | readonly string[] | undefined;
  /** Else each session's own, that of the scenario, the configuration, or the default. */
  readonly model?: string | readonly string[] | undefined;
  readonly summarizer: string | readonly string[];
  readonly vary?: readonly string[];
  readonly set: readonly string[];
}

const MOST_CELLS = 100_000;
const CHOICES = ['policy', 'model', 'summarizer'] as const;

export async function planOver(
  options: PlanOptions,
  {
    find,
    check = ({ models }) => reachAll(models, io),
    isOneAgent = false,
  }: {
    find: () => RunInputs;
    /** By default asks the plan's models, before anything is read. */
    check?: ((plan: Plan) => Promise<void> | void) | undefined;
    isOneAgent?: boolean;
  },
  io: CliIo,
): Promise<{ readonly plan: Plan; readonly found: RunInputs }> {
  const opened = openRegistry(options, io.env);
  await check(makePlan(options, io.env, { opened }));
  const found = find();
  if (options.scenario !== undefined) return { found, plan: makePlan(options, io.env, { opened }) };
  const scanned = await scanFiles({
    files: found.files,
    keptIn: countsFolder(io.cache ?? {}, io.env),
    signal: io.signal,
  });
  const recorded = (scanned?.sessions ?? []).map((one) => ({ ...one, file: one.place.file }));
  const { files, notes } = isOneAgent
    ? ofOneAgent(options, found.files, recorded)
    : { files: found.files, notes: [] };
  const kept = new Set(files);
  const own = recorded.filter(({ file }) => kept.has(file));
  const repeats = byName(findRepeats(own.map(({ candidate }) => candidate)));
  const plan = makePlan(options, io.env, {
    defaults: readDefaults(options, own, io.env),
    opened,
  });
  const all = { ...plan, notes: [...notes, ...plan.notes] };
  return { found: { ...found, files, repeats }, plan: all };
}

export function makePlan(
  options: PlanOptions,
  environment: Environment,
  { defaults = NO_DEFAULTS, opened = openRegistry(options, environment) }: PlanStart = {},
) {
  if (options.adapter !== undefined && options.closedLoop) {
    throw badOption(
      "Expected '--adapter' without '--closed-loop', because an adapter is replayed in an open loop alone.",
    );
  }
  const { catalog } = opened;
  const adapter = planAdapter(options);
  const { arms, isRecordedAsked: isAsked, notes: renamed } = readArms(options, defaults);
  const isAlone = isAsked && arms.length === 0;
  if (isAlone) checkNothingSet(options);
  const settings = readSettings(options, environment);
  const axes = readAxes(options, arms, catalog);
  const seeds = readSeeds(options);
  const mode: RunMode = options.closedLoop ? 'closed-loop' : 'open-loop';
  const { base, sources } = readCommon(options, { defaults, opened, settings, arms, mode });
  const cells = buildGrid(base, axes, sources);
  const [first] = cells as readonly [SimulatedCell];
  const todays = withoutSettings(axes);
  const today = todays === undefined ? [] : buildGrid(base, todays, sources);
  const profiles = [sources.usual, sources.own?.model];
  const models = namesOf('model', base, axes).filter((name) =>
    profiles.every((one) => one?.id !== name),
  );
  const summarizers = namesOf('summarizer', base, axes);
  const own = adapter === undefined || options.dryRun ? [] : eachOnce(cells.map(adapterCell));
  const all: readonly Cell[] = [...(isAlone ? [] : [...cells, ...today]), ...own];
  return {
    axes,
    first,
    base,
    arms,
    sources,
    cells: all,
    recorded: { cells: eachOnce(cells.map(recordedCell)), isAsked },
    seeds,
    mode,
    setupOf: defaults.setupOf,
    setup: defaults.setup,
    models: findGridModels(summarizers, seeds[0] ?? 0, opened),
    // Nobody's program is started to tell a price.
    adapter: options.dryRun ? undefined : adapter,
    settings,
    scenario: options.scenario,
    catalog: { source: options.catalog ?? catalog.source, hash: catalog.hash },
    notes: [
      ...defaults.notes,
      ...renamed,
      ...describeGiven(settings, models, catalog),
      ...describeUnasked(options, [...summarizers, options.reader ?? '', options.judge ?? '']),
      ...cells.flatMap((cell) => describeSmallWindow(cell.model, cell.settings)).slice(0, 1),
      ...(adapter === undefined ? [] : [ADAPTER_SPENDS]),
    ],
  };
}

export function toRun(plan: Plan) {
  const { first, base, sources, arms, cells, scenario, settings } = plan;
  const { model, summaryModel, onSetup = false } = first;
  const raw = findProfile(base, sources);
  const unread = describeUnreadSettings(arms, raw, settings.values);
  return {
    ...plan,
    policies: cells.filter(isSimulated).map(({ policy }) => policy),
    recorded: plan.recorded.isAsked ? ('asked' as const) : ('where-known' as const),
    model,
    summaryModel,
    onSetup,
    summarizer: sources.registry.find(base.summarizer),
    seed: plan.seeds[0] ?? 0,
    faults: scenario?.faults,
    findModel: scenario?.findModel,
    notes: [...plan.notes, ...unread],
  };
}

export function planRun(
  options: PlanOptions & { readonly summarizer: string },
  environment: Environment,
  start?: PlanStart,
) {
  const summarizer = findSummarizer(options.summarizer);
  return { ...toRun(makePlan(options, environment, start)), summarizer };
}

export function meetPlan<Plan extends Omit<LivePlan, 'summarizer'>>(
  plan: Plan,
  session: Session,
): { readonly plan: Plan; readonly setup: Setup | undefined } {
  const { evidence, file } = recordedOf(session);
  const setup = plan.setupOf?.(evidence, file);
  const met = meetRuns({ ...plan, settings: plan.settings.values }, setup);
  return { plan: { ...plan, ...met }, setup };
}

export function onlyPolicy({
  policies: [policy, another],
  recorded,
}: Pick<LivePlan, 'policies' | 'recorded'>): Policy {
  if (recorded === 'asked') {
    throw badOption(
      `Expected '--policy' to be one preset, got '${RECORDED}', which is what really happened and not simulated.`,
    );
  }
  if (policy !== undefined && another === undefined) return policy;
  throw badOption("Expected '--policy' to be one preset, got several.");
}

/** Several named policies, models or summarizers vary before everything else. */
export function readAxes(
  options: AxisOptions,
  arms: readonly Arm[],
  catalog: Catalog,
): readonly Axis[] {
  const varied = parseAxes(options.vary ?? []).map((axis) => withModels(axis, catalog));
  const chosen = CHOICES.flatMap((key) => {
    if (choicesOf(options, key).length > 0 && varied.some((axis) => axis.key === key))
      throw badOption(`Expected '--${key}' or '--vary ${key}', got both.`);
    const names =
      key === 'policy' ? arms.map(({ policy }) => policy.name) : choicesOf(options, key);
    return names.length > 1 ? [withModels(toChoiceAxis(key, names), catalog)] : [];
  });
  const axes = [...chosen, ...varied];
  for (const { key } of axes) checkNotSet(key, options.set, arms);
  const cells = axes.reduce((product, axis) => product * axis.values.length, 1);
  if (cells <= MOST_CELLS) return axes;
  throw badOption(`Expected at most ${MOST_CELLS} cells, got ${cells} of what is varied.`);
}

/** Today's axes, against which varied settings are held: the first names of each; none where no setting varies. */
export function withoutSettings(axes: readonly Axis[]): readonly Axis[] | undefined {
  const chosen = axes.filter(({ key }) => isChoice(key));
  if (chosen.length === axes.length) return undefined;
  return chosen.map(({ key, values }) => ({
    key,
    values: values.filter((value) => value !== presets.none.name).slice(0, 1),
  }));
}

/** The names that were given of a choice; what is no list has no commas. */
export function choicesOf(options: AxisOptions, key: (typeof CHOICES)[number]) {
  const { [key]: given = [] } = options;
  return typeof given === 'string'
    ? [given]
    : parseNames(`--${key}`, given, `names of ${key === 'policy' ? 'preset' : key}s`);
}

export function namesOf(choice: 'model' | 'summarizer', base: CellChoice, axes: readonly Axis[]) {
  const varied = axes.find(({ key }) => key === choice);
  return varied === undefined ? [base[choice]] : varied.values.map(String);
}

export function parsePolicies(lists: readonly string[]) {
  const texts = parseNames('--policy', lists, 'names of presets');
  checkEachOnce('--policy', texts, texts.map(nameOfPolicy));
  const simulated = texts.filter((text) => text !== RECORDED);
  return {
    arms: simulated.map(parseArm),
    isRecordedAsked: simulated.length < texts.length,
    notes: simulated.flatMap(describeOtherName),
  };
}

export function nameOfPolicy(text: string): string {
  if (text === RECORDED) return RECORDED;
  if (headOf(text) === RECORDED) {
    throw badOption(
      `Expected '${RECORDED}' without settings, got ${quoted(text)}: no setting changes what really happened.`,
    );
  }
  return parseArm(text).policy.name;
}

export function isPolicy(text: string) {
  return headOf(text) === RECORDED || isArm(text);
}

export function describeOutside(text: string): readonly string[] {
  const outside = outsideOf(parseArm(text).preset, releaseIn(headOf(text)));
  return outside === undefined
    ? []
    : [`${quoted(headOf(text))} lies outside of what was observed (${outside}).`];
}

function readArms({ policy = [], control, scenario }: PlanOptions, defaults: Defaults) {
  const named = parsePolicies([policy].flat());
  const [first, another] = named.arms;
  const isAlone = first !== undefined && another === undefined && !scenario;
  if (control && isAlone && Object.keys(first.settings).length > 0)
    return { ...named, arms: [parseArm(first.preset), first] };
  if (named.arms.length > 0 || named.isRecordedAsked) return named;
  const arms = [...(control ? [presets.none.name] : []), defaults.policy].map(parseArm);
  return { ...named, arms };
}

function checkNothingSet({ set, vary = [], config }: PlanOptions): void {
  const [given = config] = [...set, ...vary];
  if (given === undefined) return;
  throw badOption(
    `Expected a policy that can be simulated beside the setting ${quoted(given)}, got only '${RECORDED}': no setting changes what really happened.`,
  );
}

function readCommon(
  options: PlanOptions,
  {
    defaults,
    opened: { catalog, registry },
    settings,
    arms,
    mode,
  }: Required<PlanStart> &
    Readonly<{ settings: GivenSettings; arms: readonly Arm[]; mode: RunMode; defaults: Defaults }>,
) {
  const { values, config, summaryPrompt } = settings;
  const { scenario } = options;
  const [arm = parseArm(defaults.policy)] = arms;
  const [named] = choicesOf(options, 'model');
  const [summarizer = DEFAULT_SUMMARIZER] = choicesOf(options, 'summarizer');
  const usual = named === undefined ? defaults.usual : undefined;
  const own = scenario && { ...scenario, model: named === undefined ? scenario.model : undefined };
  const model =
    usual?.id ?? chooseModel(named, { settings, catalog, otherwise: scenario?.model.id });
  const summaryModel = config?.summaryModel ?? scenario?.summaryModel?.id;
  return {
    base: { arm, model, summarizer, settings: values },
    sources: { catalog, registry, usual, own, mode, summaryModel, summaryPrompt },
  };
}

function readSeeds({ trials = '1', seed }: PlanOptions): readonly number[] {
  const count = parseRepeats('--trials', trials);
  const start = parseSeed(seed);
  return Array.from({ length: count }, (_, index) => parseSeed(String(start + index)));
}

function withModels(axis: Axis, catalog: Catalog) {
  if (axis.key !== 'model') return axis;
  const texts = axis.values.map(String);
  const values = texts.map((name) => lookUpModel(catalog, name)?.id ?? name);
  checkEachOnce('--model', texts, values);
  return { ...axis, values };
}

function checkNotSet(key: string, set: readonly string[], arms: readonly Arm[]) {
  const isOfArm = arms.some(({ settings }) => Object.hasOwn(settings, key));
  if (isOfArm || set.map(settingIn).includes(key))
    throw badOption(`Expected ${quoted(key)} to be either varied or set, got both.`);
}

function describeOtherName(text: string) {
  const { name } = parseArm(text).policy;
  return [
    ...(headOf(text) === headOf(name) ? [] : [`${quoted(text)} is ${quoted(name)} here.`]),
    ...describeOutside(text),
  ];
}

function headOf(text: string) {
  return text.trim().split(/\s+/, 1).join('');
}

/** Asks each once. Rejects where one will never answer. */
async function reachAll(models: GridModels | undefined, io: CliIo) {
  if (models === undefined) return;
  const { registry, askedFor } = models;
  for (const name of askedFor.values()) registry.find(name);
  await reachModels(registry, askedFor.values(), io);
}
