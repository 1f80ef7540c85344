import { policies as presets, type Policy } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import { contentHash } from '../../simulator/lib/json.ts';
import { quoted, quotedLong } from '../../simulator/lib/names.ts';
import { type Catalog, lookUpModel, misspeltModel } from '../../simulator/provider/catalog.ts';
import { type ModelProfile, overrideProfile } from '../../simulator/provider/model-profile.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { ConfigProvenance } from '../../simulator/report/report.ts';
import type { Arm } from '../../simulator/scenario/arms.ts';
import {
  type OpencodeConfig,
  readOpencodeConfig,
} from '../../simulator/scenario/opencode-config.ts';
import {
  applySettings,
  parseSettings,
  type SettingName,
  settings,
  type SettingValues,
} from '../../simulator/scenario/settings.ts';
import { DEFAULT_MODEL } from './options.ts';
import { outcomeKey } from '../../simulator/sweep/run/outcomes.ts';

/** Settings in force, and where those came from that were not given on the command line. */
export interface GivenSettings {
  readonly values: SettingValues;
  readonly config?: ConfigProvenance;
  /** The model that the agent works with by that file, as `provider/model`. */
  readonly model?: string | undefined;
  /** True if that file has no settings of compaction. */
  readonly isConfigSilent?: boolean;
  /** True if that file sets the window of the model. */
  readonly hasOwnWindow?: true;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string | undefined;
}

/** Where settings may be given. */
interface SettingSources {
  /** `KEY=VALUE` each; they win over the file. */
  readonly set: readonly string[];
  /** An `opencode.json`; the environment has a say with and without one. */
  readonly config?: string | undefined;
  /** The model whose limits that file may set; absent: its own. None of several. */
  readonly model?: string | readonly string[] | undefined;
  readonly vary?: readonly string[];
}

/** Where a model comes from that nobody named. */
interface ModelSources {
  readonly settings: GivenSettings;
  readonly catalog: Catalog;
  readonly otherwise?: string | undefined;
}

/** The options of a command that replays sessions. */
interface Given {
  readonly settings: GivenSettings;
  /** `provider/model` each. */
  readonly models: readonly string[];
  readonly catalog: Catalog;
}

/** Policies and a model before any setting, and what was set for all. */
interface Settled {
  readonly arms: readonly Arm[];
  readonly model: ModelProfile;
  readonly values: SettingValues;
}

/** One of what was set, and all of it with or without that one. */
interface Change {
  readonly name: string;
  readonly value: SettingValues[keyof SettingValues];
  readonly values: SettingValues;
  readonly others: SettingValues;
}

/** A model that the catalog lacks has the window that was given, which is then no change of its own. */
const LIMITS: ReadonlySet<string> = new Set(['contextTokens', 'inputTokens', 'outputTokens']);

/** The settings from the command line, a configuration file and the environment. */
export function readSettings(
  { set, config: file, model, vary = [] }: SettingSources,
  environment: Environment,
): GivenSettings {
  const given = parseSettings(set);
  const config = readOpencodeConfig(file, environment);
  if (file === undefined && isSilent(config)) return { values: given };
  const [only = config.model ?? '', ...others] = [model ?? []].flat();
  const isOne = others.length === 0 && !vary.some((axis) => settingIn(axis) === 'model');
  const limits = isOne ? config.limits[only] : undefined;
  return {
    values: { ...limits, ...config.settings, ...given },
    model: config.model,
    ...(limits?.contextTokens !== undefined && { hasOwnWindow: true }),
    config: toProvenance(config, given),
    isConfigSilent: isSilent(config),
    summaryPrompt: config.summaryPrompt,
  };
}

/** The model that applies: the one that was named, else that of the configuration, else another; by the catalog's name, where it has one. */
export function chooseModel(
  named: string | undefined,
  { settings, catalog, otherwise = DEFAULT_MODEL }: ModelSources,
): string {
  const { model: own } = settings;
  const isKnown =
    own !== undefined && (settings.hasOwnWindow || lookUpModel(catalog, own) !== undefined);
  const model = named ?? (isKnown ? own : otherwise);
  return lookUpModel(catalog, model)?.id ?? model;
}

/** The name of the setting in a `KEY=VALUE`. */
export function settingIn(pair: string): string {
  return pair.split('=', 1).join('').trim();
}

/** Sentences about unexpected effects of the options. */
export function describeGiven({ settings, models, catalog }: Given): readonly string[] {
  const { model: own } = settings;
  const isUnknown =
    own !== undefined && !settings.hasOwnWindow && lookUpModel(catalog, own) === undefined;
  const unknown = isUnknown
    ? [
        `The catalog has no model ${quoted(own)} of the configuration: '--model' says which applies.`,
      ]
    : [];
  return [
    ...describeConfig(settings),
    ...unknown,
    ...models.flatMap((model) => describeModel(model, catalog)),
  ];
}

/** The same of a configuration file and the environment alone. */
export function describeConfig({
  values,
  config,
  isConfigSilent,
}: GivenSettings): readonly string[] {
  if (config === undefined) return [];
  if (config.file === undefined) return describeEnvironment(config, values);
  const file = quotedLong(config.file);
  if (isConfigSilent === true) {
    const others = Object.keys(values).length === 0 ? 'all' : 'all other';
    return [
      `${file} says nothing of compaction, so that ${others} settings are those of the policy.`,
    ];
  }
  if (config.summaryModel === undefined) return [];
  const model = `${quoted(config.summaryModel)} in ${file} lends its window and prices to summary requests`;
  return [`${model}; '--summarizer' names what answers them.`];
}

/**
 * Sentences about settings without the effect that somebody expects, which nothing reads under any of the policies; nothing is set of
 * the control.
 */
export function describeUnreadSettings({ arms, model, values }: Settled): readonly string[] {
  const settable = arms.filter(({ policy }) => policy.name !== presets.none.name);
  if (settable.length === 0) return [];
  const shared = Object.entries(values).flatMap(([name, value]) => {
    const others = without(values, name);
    const isUnread = settable.every(({ policy, settings: own }) =>
      ignores(policy, model, {
        name,
        value,
        values: { ...values, ...own },
        others: { ...others, ...own },
      }),
    );
    return LIMITS.has(name) || !isUnread ? [] : [describeUnread({ name, value }, settable)];
  });
  const own = settable.flatMap((arm) => describeUnreadOwn(arm, model, values));
  return [...shared, ...own];
}

/** A sentence where the window that is set is smaller than the model's longest answer. */
export function describeSmallWindow(
  { id, limits }: Pick<ModelProfile, 'id' | 'limits'>,
  values: SettingValues,
): readonly string[] {
  const { contextTokens } = values;
  const { outputTokens = limits.outputTokens ?? 0, outputCap = outputTokens } = values;
  const answerTokens = Math.min(Number(outputTokens), Number(outputCap));
  if (!contextTokens || Number(contextTokens) >= answerTokens) return [];
  const [window, answer] = [Number(contextTokens), answerTokens].map(formatCount);
  return [
    `The window of ${window} tokens is smaller than the longest answer of ${id}, ${answer}: '--set outputTokens=…' sets that as well.`,
  ];
}

function describeUnreadOwn(
  arm: Arm,
  model: ModelProfile,
  shared: SettingValues,
): readonly string[] {
  const values = { ...shared, ...arm.settings };
  return Object.entries(arm.settings).flatMap(([name, value]) => {
    const others = { ...shared, ...without(arm.settings, name) };
    const isUnread = ignores(arm.policy, model, { name, value, values, others });
    return isUnread ? [describeUnread({ name, value }, [arm])] : [];
  });
}

function describeUnread(
  { name, value }: Pick<Change, 'name' | 'value'>,
  arms: readonly Arm[],
): string {
  const names = arms.map(({ policy }) => policy.name).join(', ');
  return `'${name}=${value}' changes nothing under ${names}: nothing there reads it.`;
}

function without(values: SettingValues, name: string): SettingValues {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}

/** A variable holds for every program of a shell, so that one who set it long ago is told. */
function describeEnvironment(
  { origins }: ConfigProvenance,
  values: SettingValues,
): readonly string[] {
  return Object.entries(origins).map(
    ([name, variable]) =>
      `The environment sets '${name}=${values[name as SettingName]}' by ${variable}; '--set' overrides it.`,
  );
}

function toProvenance(config: OpencodeConfig, given: SettingValues): ConfigProvenance {
  const { file, summaryModel } = config;
  const origins = Object.entries(config.origins).filter(([name]) => !Object.hasOwn(given, name));
  return {
    ...(file !== undefined && { file }),
    origins: Object.fromEntries(origins),
    ...(summaryModel !== undefined && { summaryModel }),
  };
}

function isSilent({ settings, limits, summaryModel, summaryPrompt }: OpencodeConfig): boolean {
  const says = [summaryModel, summaryPrompt, ...Object.values(settings), ...Object.values(limits)];
  return says.every((value) => value === undefined);
}

/** A model that is not known may be one's own, unless it is called much like another or is of a provider that is known. */
function describeModel(model: string, catalog: Catalog): readonly string[] {
  if (lookUpModel(catalog, model) !== undefined) return [];
  const nearest = misspeltModel(catalog, model);
  if (nearest === undefined && !hasProviderOf(model, catalog)) return [];
  const own = `The catalog has no model ${quoted(model)}, so that it has the window that was given and no prices`;
  return [nearest === undefined ? `${own}.` : `${own}; nearest: ${nearest}.`];
}

function hasProviderOf(model: string, { models }: Catalog): boolean {
  const provider = model.slice(0, model.indexOf('/') + 1);
  return provider !== '' && [...models.keys()].some((name) => name.startsWith(provider));
}

function ignores(policy: Policy, model: ModelProfile, change: Change): boolean {
  const keyWith = (some: SettingValues) => keyOf(policy, model, some);
  return keyWith(change.values) === keyWith(change.others) && !hasAnyway(policy, model, change);
}

function keyOf(policy: Policy, model: ModelProfile, values: SettingValues): string {
  const target = applySettings({ policy, limits: model.limits }, values);
  return outcomeKey({
    settings: values,
    policy: target.policy,
    model: overrideProfile(model, target.limits, target.provider),
    summarizer: '',
  });
}

/** Returns true if a policy has the value anyway, while another one would change it. */
function hasAnyway(policy: Policy, model: ModelProfile, change: Change): boolean {
  const { name, value, values, others } = change;
  const settle = (some: SettingValues) => applySettings({ policy, limits: model.limits }, some);
  const [target, without] = [settle(values), settle(others)];
  // A provider that is set as it is anyway is no policy's matter.
  if (!isSame([target.provider], [without.provider])) return true;
  if (!isSame(target, without)) return false;
  if (typeof value === 'string') return true;
  const another = typeof value === 'number' ? otherThan(value, name) : !value;
  return !isSame(settle({ ...values, [name]: another }), without);
}

function isSame(one: unknown, other: unknown): boolean {
  return contentHash(one) === contentHash(other);
}

function otherThan(value: number, name: string): number {
  const isShare = Object.hasOwn(settings, name) && settings[name as SettingName].unit === 'share';
  return isShare ? value / 2 : value + 1;
}
