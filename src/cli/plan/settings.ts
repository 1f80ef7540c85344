import { isDeepStrictEqual } from 'node:util';
import { policies as presets, type Policy } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import { known } from '../../simulator/lib/collections.ts';
import { quoted, quotedLong } from '../../simulator/lib/names.ts';
import { type Catalog, lookUpModel, misspeltModel } from '../../simulator/provider/catalog.ts';
import { type ModelProfile, overrideProfile } from '../../simulator/provider/model-profile.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { ConfigProvenance } from '../../simulator/report/report.ts';
import type { Arm } from '../../simulator/scenario/arms.ts';
import { isForeign } from '../../simulator/scenario/checkup.ts';
import { readOpencodeConfig } from '../../simulator/scenario/opencode-config.ts';
import {
  applySettings,
  parseSettings,
  type SettingName,
  type SettingValue,
  type SettingValues,
} from '../../simulator/scenario/settings.ts';
import { DEFAULT_MODEL } from './options.ts';
import { outcomeKey } from '../../simulator/sweep/run/outcomes.ts';

export interface GivenSettings {
  readonly values: SettingValues;
  readonly config?: ConfigProvenance;
  readonly model?: string | undefined;
  readonly isConfigSilent?: boolean;
  readonly hasOwnWindow?: true;
  readonly summaryPrompt?: string | undefined;
}

/** The window of a model that the catalog lacks is no change of its own. */
const LIMITS: ReadonlySet<string> = new Set(['contextTokens', 'inputTokens', 'outputTokens']);

/** The settings of the command line, a file and the environment; a file sets limits of the one model named, or its own. */
export function readSettings(
  {
    set,
    config: file,
    model,
    vary = [],
  }: {
    set: readonly string[];
    config?: string | undefined;
    model?: string | readonly string[] | undefined;
    vary?: readonly string[];
  },
  environment: Environment,
): GivenSettings {
  const given = parseSettings(set);
  const config = readOpencodeConfig(file, environment);
  const { settings: own, limits, summaryModel, summaryPrompt } = config;
  const says = [summaryModel, summaryPrompt, ...Object.values(own), ...Object.values(limits)];
  const isConfigSilent = says.every((value) => value === undefined);
  if (file === undefined && isConfigSilent) return { values: given };
  const [only = config.model ?? '', ...others] = [model ?? []].flat();
  const isOne = others.length === 0 && !vary.some((axis) => settingIn(axis) === 'model');
  const limitsOfModel = isOne ? limits[only] : undefined;
  const origins = Object.entries(config.origins).filter(([name]) => !Object.hasOwn(given, name));
  return {
    values: { ...limitsOfModel, ...own, ...given },
    model: config.model,
    ...(limitsOfModel?.contextTokens !== undefined && { hasOwnWindow: true }),
    config: {
      ...known({ file }),
      origins: Object.fromEntries(origins),
      ...known({ summaryModel }),
    },
    isConfigSilent,
    summaryPrompt,
  };
}

/** The model that was named, else the configuration's, else another; by the catalog's name. */
export function chooseModel(
  named: string | undefined,
  {
    settings,
    catalog,
    otherwise = DEFAULT_MODEL,
  }: {
    settings: GivenSettings;
    catalog: Catalog;
    otherwise?: string | undefined;
  },
): string {
  const model = named ?? (hasModel(settings, catalog) ? settings.model : undefined) ?? otherwise;
  return lookUpModel(catalog, model)?.id ?? model;
}

/** The model of a configuration can be run: its window is known. */
export function hasModel({ model, hasOwnWindow }: GivenSettings, catalog: Catalog) {
  return model !== undefined && (hasOwnWindow || lookUpModel(catalog, model) !== undefined);
}

export function settingIn(pair: string) {
  return pair.split('=', 1).join('').trim();
}

export function describeGiven(
  settings: GivenSettings,
  models: readonly string[],
  catalog: Catalog,
): readonly string[] {
  const { model: own } = settings;
  const unknown =
    own === undefined || hasModel(settings, catalog)
      ? []
      : [
          `The catalog has no model ${quoted(own)} of the configuration: '--model' says which applies.`,
        ];
  return [
    ...describeConfig(settings),
    ...unknown,
    ...models.flatMap((model) => describeModel(model, catalog)),
  ];
}

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

export function describeUnreadSettings(
  arms: readonly Arm[],
  model: ModelProfile,
  values: SettingValues,
) {
  const settable = arms.filter(({ policy }) => policy.name !== presets.none.name);
  if (settable.length === 0) return [];
  const isIgnored = ({ policy, settings: own }: Arm, name: string) =>
    ignores(policy, model, {
      name,
      values: { ...values, ...own },
      others: { ...without(values, name), ...own },
    });
  const shared = Object.entries(values)
    .filter(([name]) => !LIMITS.has(name) && settable.every((arm) => isIgnored(arm, name)))
    .map((setting) => describeUnread(setting, settable));
  const own = settable.flatMap((arm) => {
    const { policy, settings } = arm;
    const all = { ...values, ...settings };
    return Object.entries(settings)
      .filter(([name]) => {
        const others = { ...values, ...without(settings, name) };
        return ignores(policy, model, { name, values: all, others });
      })
      .map((setting) => describeUnread(setting, [arm]));
  });
  return [...shared, ...own];
}

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

function describeUnread([name, value]: [string, SettingValue], arms: readonly Arm[]) {
  const names = arms.map(({ policy }) => policy.name).join(', ');
  return `'${name}=${value}' changes nothing under ${names}: nothing there reads it.`;
}

function without(values: SettingValues, name: string) {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}

/** A variable of a shell may have been set long ago. */
function describeEnvironment({ origins }: ConfigProvenance, values: SettingValues) {
  return Object.entries(origins).map(
    ([name, variable]) =>
      `The environment sets '${name}=${values[name as SettingName]}' by ${variable}; '--set' overrides it.`,
  );
}

/** An unknown model may be one's own, unless its provider is known or its name nearly is. */
function describeModel(model: string, catalog: Catalog) {
  if (lookUpModel(catalog, model) !== undefined) return [];
  const nearest = misspeltModel(catalog, model);
  if (nearest === undefined && !hasProviderOf(model, catalog)) return [];
  const own = `The catalog has no model ${quoted(model)}, so that it has the window that was given and no prices`;
  return [nearest === undefined ? `${own}.` : `${own}; nearest: ${nearest}.`];
}

function hasProviderOf(model: string, { models }: Catalog) {
  const provider = model.slice(0, model.indexOf('/') + 1);
  return provider !== '' && [...models.keys()].some((name) => name.startsWith(provider));
}

/** The result is the same without a setting, unless it equals the policy's own and another would change it. */
function ignores(
  policy: Policy,
  model: ModelProfile,
  { name, values, others }: { name: string; values: SettingValues; others: SettingValues },
) {
  const [target, without] = [values, others].map((some) => {
    const settled = applySettings({ policy, limits: model.limits }, some);
    const profile = overrideProfile(model, settled.limits, settled.provider);
    const key = outcomeKey({ ...settled, settings: some, model: profile, summarizer: '' });
    return { ...settled, key };
  });
  if (target === undefined || target.key !== without?.key) return false;
  // A provider that is set as it is anyway is no policy's matter.
  if (!isDeepStrictEqual(target.provider, without.provider)) return false;
  return !isDeepStrictEqual(target, without) || isForeign(name as SettingName, target);
}
