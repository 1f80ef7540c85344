import { policies as presets, type Policy } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunMode } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import {
  type Catalog,
  findModelWithWindow,
  readCatalog,
} from '../../simulator/provider/catalog.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { overrideProfile } from '../../simulator/provider/override-profile.ts';
import { RECORDED, recordedArm } from '../../simulator/replay/recorded.ts';
import { settleArm } from '../../simulator/scenario/arms.ts';
import {
  applySettings,
  type ProviderOverrides,
  type SettingValue,
} from '../../simulator/scenario/settings.ts';
import {
  type ModelSettings,
  openSummarizers,
  type SummarizerRegistry,
} from '../../simulator/summarizer/open.ts';
import type { AsyncRunOptions } from '../../simulator/replay/run-trace.ts';
import type { AnySummarizer, Summarizer } from '../../simulator/summarizer/summarizer.ts';
import { findSummarizer } from '../../simulator/summarizer/summarizers.ts';
import type { Session } from '../../simulator/session/session.ts';
import { meetSetup } from '../../simulator/sweep/run/meet-setup.ts';
import type { RecordedRows } from '../../simulator/sweep/run-files.ts';
import {
  ADAPTER_SPENDS,
  type AdapterChoice,
  checkOpenLoop,
  type OpenAdapter,
  planAdapter,
} from './adapter.ts';
import { type Defaults, recordedOf } from './defaults.ts';
import { type ModelOptions, parseModelOptions } from './models.ts';
import { parseWhole, sourceOptions } from './options.ts';
import { parsePolicies } from './policies.ts';
import {
  chooseModel,
  describeGiven,
  describeUnreadSettings,
  type GivenSettings,
  readSettings,
} from './settings.ts';
import type { Setup, SetupOf } from '../../simulator/setup/setup.ts';
import type { OptionsOf } from '../command.ts';

/** The options that a run is made of. */
export type PlanOptions = Partial<OptionsOf<ReturnType<typeof sourceOptions>>> &
  AdapterChoice & {
    /** Names, each possibly several with commas between. */
    readonly policy: readonly string[];
    /** Each session's own where absent and recorded, else that of the scenario, the configuration, or the default. */
    readonly model?: string | undefined;
    /** Taken from recordings. */
    readonly defaults?: Pick<Defaults, 'usual' | 'setupOf'> | undefined;
    /** The parts of its run that a scenario tells. */
    readonly scenario?: ScenarioParts | undefined;
    readonly summarizer: string;
    readonly seed: string;
    readonly set: readonly string[];
  };

/** Parts of a run that a scenario has, and no option. */
export interface ScenarioParts
  extends Pick<AsyncRunOptions, 'model' | 'summaryModel' | 'faults' | 'findModel'> {
  /** True limits of its model, where it has some. */
  readonly provider: ProviderOverrides;
}

/** A run's parts, checked and complete. */
export interface RunPlan extends Pick<ScenarioParts, 'faults' | 'findModel'> {
  readonly policies: readonly Policy[];
  /** How the run as recorded stands beside them. */
  readonly recorded: RecordedRows;
  /** Somebody's own compaction beside them; absent for none. */
  readonly adapter?: OpenAdapter | undefined;
  readonly model: ModelProfile;
  /** True where each session keeps its recorded models and windows; `model` is then that of most. */
  readonly onSetup: boolean;
  readonly setupOf?: SetupOf | undefined;
  /** Other models of one session, from their steps on. */
  readonly modelChanges?: AsyncRunOptions['modelChanges'];
  /** Where a configuration names one that the catalog knows. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: Summarizer;
  readonly seed: number;
  readonly mode: RunMode;
  readonly catalog: { readonly source: string; readonly hash: string };
  readonly settings: GivenSettings;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

/** The same with a summarizer of any kind. */
export interface LivePlan extends Omit<RunPlan, 'summarizer'> {
  readonly summarizer: AnySummarizer;
}

/** The shared parts of one command's plans, if real models may be asked. */
export interface OpenRegistry {
  readonly registry: SummarizerRegistry;
  readonly settings: ModelSettings;
  readonly catalog: Catalog;
}

/** The parts that a plan begins with, where they are there. */
export interface PlanStart {
  readonly defaults?: Defaults;
  /** The registry whose models were asked. */
  readonly opened?: OpenRegistry;
}

/** Seeds beyond this are the same as smaller ones. */
const MAX_SEED = 2 ** 32 - 1;

/** Checks everything that a run is made of; throws at the first thing that is wrong. */
export function planRun(options: PlanOptions, environment: Environment): RunPlan {
  const summarizer = findSummarizer(options.summarizer);
  return { ...planRest(options, environment, readCatalog(options.catalog)), summarizer };
}

/** A registry as the command line wants it, in which nothing has been asked. */
export function openRegistry(
  options: ModelOptions & Pick<PlanOptions, 'catalog'>,
  environment: Environment,
  own: Pick<ModelSettings, 'needsWords'> = {},
): OpenRegistry {
  const settings = { ...parseModelOptions(options, environment), ...own };
  if (settings.redactsCassette && settings.needsWords) {
    throw badOption(
      "Expected '--cassette-redact' where summaries are not judged by their words; filler has none.",
    );
  }
  const catalog = readCatalog(options.catalog);
  const registry = openSummarizers(settings, { environment, profiles: catalog.models });
  return { registry, settings, catalog };
}

/** A plan where a real model may write the summaries: its limits and prices hold for them if the catalog knows it. */
export function planLive(
  options: PlanOptions & ModelOptions,
  environment: Environment,
  { registry, catalog }: Pick<OpenRegistry, 'registry' | 'catalog'> = openRegistry(
    options,
    environment,
  ),
): { readonly plan: LivePlan; readonly registry: SummarizerRegistry } {
  const summarizer = registry.find(options.summarizer);
  const rest = planRest(options, environment, catalog);
  const summaryModel = registry.summaryModelOf(options.summarizer, rest.summaryModel);
  // Nobody's program is started to tell a price.
  const adapter = options.dryRun ? undefined : rest.adapter;
  return { plan: { ...rest, adapter, summarizer, summaryModel }, registry };
}

/** Throws where a setting would have to change what really happened. */
export function checkNothingSet({ set, config }: Pick<PlanOptions, 'set' | 'config'>): void {
  const [given = config] = set;
  if (given === undefined) return;
  throw badOption(
    `Expected a policy that can be simulated beside the setting ${quoted(given)}, got only '${RECORDED}': no setting changes what really happened.`,
  );
}

/** A plan as one session meets it, with the session's setup; that is absent where nothing is known of it. */
export function meetPlan<Plan extends Omit<RunPlan, 'summarizer'>>(
  plan: Plan,
  session: Session,
): { readonly plan: Plan; readonly setup: Setup | undefined } {
  const { onSetup, setupOf, settings, model } = plan;
  const { evidence, file } = recordedOf(session);
  const setup = setupOf?.(evidence, file);
  const cell = { model, settings: settings.values, ...(onSetup && { onSetup: true as const }) };
  const policies = plan.policies.map((policy) => meetSetup({ ...cell, policy }, setup).policy);
  const met = meetSetup({ ...cell, policy: recordedArm }, setup);
  const changes = met.modelChanges && { modelChanges: met.modelChanges };
  return { plan: { ...plan, policies, model: met.model, ...changes }, setup };
}

/** The one policy of a plan. Throws where there are several, and where it is none that can be simulated. */
export function onlyPolicy({
  policies: [policy, another],
  recorded,
}: Pick<RunPlan, 'policies' | 'recorded'>): Policy {
  if (recorded === 'asked') {
    throw badOption(
      `Expected '--policy' to be one preset, got '${RECORDED}', which is what really happened and not simulated.`,
    );
  }
  if (policy !== undefined && another === undefined) return policy;
  throw badOption("Expected '--policy' to be one preset, got several.");
}

/** A seed from the command line. */
export function parseSeed(text: string): number {
  return parseWhole('--seed', text, { least: 0, most: MAX_SEED });
}

/** Which loop is run. */
export function readMode({
  closedLoop = false,
}: {
  readonly closedLoop?: boolean | undefined;
}): RunMode {
  return closedLoop ? 'closed-loop' : 'open-loop';
}

function planRest(
  options: PlanOptions,
  environment: Environment,
  catalog: Catalog,
): Omit<RunPlan, 'summarizer'> {
  const { arms, isRecordedAsked, notes } = parsePolicies(options.policy);
  if (isRecordedAsked && arms.length === 0) checkNothingSet(options);
  checkOpenLoop(options);
  const adapter = planAdapter(options);
  const seed = parseSeed(options.seed);
  const settings = readSettings(options, environment);
  const { contextTokens } = settings.values;
  const { scenario, defaults } = options;
  const usual = options.model === undefined ? defaults?.usual : undefined;
  const otherwise = scenario?.model.id;
  const modelName = usual?.id ?? chooseModel(options.model, { settings, catalog, otherwise });
  const own = options.model === undefined && scenario?.model.id === modelName;
  const named = usual ?? (own ? scenario.model : undefined);
  const model = named ?? findModelWithWindow(catalog, modelName, toTokens(contextTokens));
  const { limits, provider } = applySettings(
    { policy: presets.none, limits: model.limits },
    settings.values,
  );
  const { summaryPrompt, values: shared } = settings;
  const { summaryModel: writer } = settings.config ?? {};
  const summaryModelId = writer ?? scenario?.summaryModel?.id;
  const surroundings = { limits, shared, summaryModel: summaryModelId, summaryPrompt };
  return {
    policies: arms.map((arm) => settleArm(arm, surroundings)),
    recorded: isRecordedAsked ? 'asked' : 'where-known',
    adapter,
    summaryModel: writer === undefined ? scenario?.summaryModel : catalog.models.get(writer),
    model: overrideProfile(model, limits, { ...(own && scenario.provider), ...provider }),
    onSetup: usual !== undefined,
    setupOf: defaults?.setupOf,
    seed,
    mode: readMode(options),
    faults: scenario?.faults,
    findModel: scenario?.findModel,
    catalog: { source: options.catalog ?? catalog.source, hash: catalog.hash },
    settings,
    notes: [
      ...notes,
      ...describeGiven({ settings, models: named ? [] : [modelName], catalog }),
      ...describeUnreadSettings({ arms, model, values: shared }),
      ...(adapter === undefined ? [] : [ADAPTER_SPENDS]),
    ],
  };
}

function toTokens(value: SettingValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
