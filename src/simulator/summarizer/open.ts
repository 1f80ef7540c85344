import { existsSync } from 'node:fs';
import type { Environment } from '../env.ts';
import { keepIn, known } from '../lib/collections.ts';
import { badOption } from '../lib/errors.ts';
import { describeNearest, quoted, quotedLong } from '../lib/names.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { checkProvider, createSdkModel, systemClock } from './ai-sdk.ts';
import {
  type Asked,
  askedIn,
  type CassetteMode,
  type CassetteOptions,
  createCassette,
  createPlayback,
} from './cassette.ts';
import {
  type Budget,
  type Clock,
  createBudget,
  createLimiter,
  findFault,
  type Limiter,
} from './model/call.ts';
import {
  createDryRun,
  createModelSummarizer,
  type DryRun,
  type Estimate,
} from './model/model-summarizer.ts';
import type { ApiName, ModelSpec } from './model/model-name.ts';
import { confidentialIn, createScrub } from './scrub.ts';
import type { AnySummarizer, AsyncSummarizer } from './summarizer.ts';
import { findSummarizer } from './summarizers.ts';

interface KeySettings {
  /** The variable that holds the key; by default the provider's usual one, and none beside a base URL. */
  readonly apiKeyEnv?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** How real models are asked, and where their answers are kept; complete. */
export interface ModelSettings extends KeySettings {
  readonly api?: ApiName | undefined;
  readonly streams: boolean;
  readonly outputCapTokens?: number | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly budgetUsd?: number | undefined;
  readonly isDryRun: boolean;
  /** Folder of a cassette around every real model. */
  readonly cassette?: string | undefined;
  readonly cassetteMode: CassetteMode;
  /** True if recordings have filler in the place of answers. */
  readonly redactsCassette?: boolean | undefined;
  /** True if answers are judged by their words. */
  readonly needsWords?: boolean | undefined;
  /** True if no real model may be asked without a cassette. */
  readonly needsCassette?: boolean | undefined;
  /** The server to name in recordings; by default the one where the models are. */
  readonly recordedAgainst?: string | undefined;
}

/** The environment of the summarizers. */
export interface ModelSurroundings {
  readonly environment: Environment;
  readonly profiles: ReadonlyMap<string, ModelProfile>;
  /** The machine's own by default. */
  readonly clock?: Clock | undefined;
}

/** Summarizers of any kind by name. All of one registry share its limits and its budget. */
export interface SummarizerRegistry {
  find(name: string): AnySummarizer;
  /** Who answers under a name; needs nothing of what asking does, such as a key. */
  identify(name: string): Asked;
  /** The model behind a name, where it is one that the catalog knows. */
  profileOf(name: string): ModelProfile | undefined;
  /** The model whose limits and prices apply to a summarizer: the catalog's, else the lent one; an unknown model has no price. */
  summaryModelOf(name: string, lent: ModelProfile | undefined): ModelProfile | undefined;
  /** Asks each real model of these names once, but for those that a cassette may answer for. Rejects where one will never answer. */
  reach(names: Iterable<string>, signal: AbortSignal): Promise<void>;
  /** The estimates of dry runs so far, by name. */
  estimates(): ReadonlyMap<string, Estimate>;
  spentNanoUsd(): number;
  /** The most that requests may have cost which were never answered. */
  unansweredNanoUsd(): number;
}

interface SharedResources extends ModelSurroundings {
  readonly clock: Clock;
  readonly settings: ModelSettings;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly scrub: (text: string) => string;
  readonly dryRuns: Map<string, DryRun>;
}

const CASSETTE_PREFIX = 'cassette:';

/** No server takes it for a key, and no client looks for one of its own. */
const NO_KEY = 'none';

const SPEC = /^ai:([a-z0-9][a-z0-9-]*)\/(\S+)$/;

const PREFIX = 'ai:';

/** A registry in which nothing has been asked or spent. */
export function openSummarizers(
  settings: ModelSettings,
  surroundings: ModelSurroundings,
): SummarizerRegistry {
  const { environment, profiles, clock = systemClock } = surroundings;
  const budget = createBudget(settings.budgetUsd);
  const dryRuns = new Map<string, DryRun>();
  const limiter = createLimiter(settings, clock);
  const scrub = createScrub(confidentialIn(environment, settings.apiKeyEnv));
  const resources = { ...surroundings, clock, settings, limiter, budget, scrub, dryRuns };
  const profileOf = (name: string) => {
    const inner = modelNameIn(name);
    return inner === undefined ? undefined : profiles.get(idOf(inner));
  };
  return {
    find: (name) => find(name, resources),
    identify: (name) => identify(name, resources),
    profileOf,
    summaryModelOf: (name, lent) =>
      profileOf(name) ?? (modelNameIn(name) === undefined ? lent : lent && withoutPrices(lent)),
    reach: (names, signal) => reachAll(names, resources, signal),
    estimates: () => new Map([...dryRuns].map(([name, dryRun]) => [name, dryRun.estimate()])),
    spentNanoUsd: budget.spentNanoUsd,
    unansweredNanoUsd: budget.unansweredNanoUsd,
  };
}

export function createSilent({ name, settings }: Asked): AsyncSummarizer {
  return {
    name,
    isAsync: true,
    settings,
    summarise: () => Promise.reject(new TypeError(`Expected no call of ${name}.`)),
  };
}

async function reachAll(names: Iterable<string>, resources: SharedResources, signal: AbortSignal) {
  if (!sendsFirst(resources.settings)) return;
  const models = [...new Set(names)].filter(isModelName);
  await Promise.all(
    models.map(async (name) => {
      const fault = await findFault(callOptionsOf(name, resources), signal);
      if (fault === undefined) return;
      throw badOption(
        `Expected ${quoted(name)} to answer, got ${quotedLong(resources.scrub(fault))}.`,
      );
    }),
  );
}

/** False where a cassette may know all answers. */
function sendsFirst({ isDryRun, cassette, cassetteMode }: ModelSettings) {
  if (isDryRun) return false;
  if (cassette === undefined || cassetteMode === 'record' || cassetteMode === 'off') return true;
  return cassetteMode === 'auto' && !existsSync(cassette);
}

function idOf(name: string) {
  const { provider, model } = parseModelName(name);
  return `${provider}/${model}`;
}

function find(name: string, resources: SharedResources) {
  const { settings, scrub } = resources;
  const cassette = parseCassette(name);
  if (cassette !== undefined) {
    const { folder, inner } = cassette;
    const options = cassetteOptions(folder, resources);
    if (inner !== undefined) return findInside(inner, options, resources);
    return createCassette(createSilent(askedIn(folder, scrub)), { ...options, mode: 'strict' });
  }
  if (!isModelName(name)) return findSummarizer(name);
  const { cassette: folder, cassetteMode, needsCassette } = settings;
  if (folder !== undefined) return findInside(name, cassetteOptions(folder, resources), resources);
  if (!needsCassette) return findModel(name, resources);
  throw badOption(
    `Expected '--cassette' with '--cassette-mode ${cassetteMode}', because ${quoted(name)} would be asked without one.`,
  );
}

function cassetteOptions(folder: string, { settings, scrub }: SharedResources): CassetteOptions {
  const { cassetteMode: mode, recordedAgainst, baseUrl, redactsCassette, needsWords } = settings;
  const usual = baseUrl === undefined ? "the provider's own service" : 'a server named by base URL';
  const words = { redacts: redactsCassette, needsWords };
  return { folder, mode, scrub, recordedAgainst: recordedAgainst ?? usual, ...words };
}

/** A strict cassette needs no key, no package and no network. */
function findInside(name: string, options: CassetteOptions, resources: SharedResources) {
  const { isDryRun } = resources.settings;
  if (options.mode === 'strict' && isModelName(name) && !isDryRun) {
    parseModelName(name);
    return createCassette(createSilent({ name, settings: asked(resources.settings) }), options);
  }
  const inner = isModelName(name) ? findModel(name, resources) : findSummarizer(name);
  return isDryRun ? createPlayback(inner, options) : createCassette(inner, options);
}

function asked({ api, streams, outputCapTokens }: ModelSettings): AsyncSummarizer['settings'] {
  return known({ api, streams: streams || undefined, outputCapTokens });
}

function findModel(name: string, resources: SharedResources): AnySummarizer {
  const { settings, profiles, dryRuns } = resources;
  if (!settings.isDryRun) return createModelSummarizer(callOptionsOf(name, resources));
  const { outputCapTokens, baseUrl } = settings;
  const profile = profiles.get(idOf(name));
  if (profile === undefined && baseUrl === undefined)
    throw unpriced(name, resources, 'for a dry run');
  const options = { name, settings: asked(settings), profile, outputCapTokens };
  return keepIn(dryRuns, name, () => createDryRun(options)).summarizer;
}

function unpriced(name: string, { profiles }: SharedResources, why: string) {
  const hint = describeNearest(idOf(name), profiles.keys());
  return badOption(
    `Expected a model with a price in the catalog ${why}, got ${quoted(name)}${hint}.`,
  );
}

/** Throws where the price, the provider or the key of the model is missing. */
function callOptionsOf(name: string, resources: SharedResources) {
  const { settings, profiles, environment, ...shared } = resources;
  const spec = parseModelName(name);
  const profile = profiles.get(idOf(name));
  if (settings.budgetUsd !== undefined && profile?.prices === undefined)
    throw unpriced(name, resources, "for '--budget-usd'");
  checkProvider(spec, profiles, settings.baseUrl);
  const { outputCapTokens, timeoutMs, retries } = settings;
  const model = createSdkModel({
    ...spec,
    ...settings,
    apiKey: apiKeyOf(spec, settings, environment),
  });
  const options = { name, settings: asked(settings), model, profile };
  return { ...shared, ...options, outputCapTokens, timeoutMs, retries };
}

function identify(name: string, resources: SharedResources): Asked {
  const { folder, inner } = parseCassette(name) ?? {};
  if (folder !== undefined && inner === undefined) return askedIn(folder, resources.scrub);
  const own = inner ?? name;
  if (!isModelName(own)) return { name: findSummarizer(own).name };
  parseModelName(own);
  return { name: own, settings: asked(resources.settings) };
}

function withoutPrices(profile: ModelProfile): ModelProfile {
  const { prices: _, ...rest } = profile;
  return rest;
}

/** The name of a real model, also inside of a cassette. */
function modelNameIn(name: string) {
  const { inner = name } = parseCassette(name) ?? {};
  return isModelName(inner) ? inner : undefined;
}

function isModelName(name: string) {
  return name.startsWith(PREFIX);
}

function parseModelName(name: string): ModelSpec {
  const [, provider, model] = SPEC.exec(name) ?? [];
  if (provider !== undefined && model !== undefined) return { provider, model };
  throw badOption(
    `Expected a real model as 'ai:PROVIDER/MODEL', as in 'ai:openai/gpt-5-mini', got ${quoted(name)}.`,
  );
}

/** The key of a model's provider; absent where its package may look for one. */
function apiKeyOf(
  { provider }: ModelSpec,
  { apiKeyEnv, baseUrl }: KeySettings,
  environment: Environment,
) {
  const usual = `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;
  const variable = apiKeyEnv ?? (baseUrl === undefined ? usual : undefined);
  const key = variable === undefined ? undefined : environment[variable];
  if (key !== undefined && key !== '') return key;
  const isNeeded = apiKeyEnv !== undefined || (provider === 'openai' && baseUrl === undefined);
  if (isNeeded) {
    throw badOption(
      `Expected the key of ${quoted(provider)} in the environment variable ${quoted(variable ?? '')}, which is not set.`,
    );
  }
  return baseUrl === undefined ? undefined : NO_KEY;
}

/** The folder and model of `cassette:DIR=NAME`; `undefined` for other names. */
function parseCassette(
  name: string,
): { readonly folder: string; readonly inner?: string } | undefined {
  if (!name.startsWith(CASSETTE_PREFIX)) return undefined;
  const [folder = '', ...rest] = name.slice(CASSETTE_PREFIX.length).split('=');
  const inner = rest.join('=');
  if (folder === '') {
    throw badOption(
      `Expected the folder of a cassette as 'cassette:DIR' or 'cassette:DIR=NAME', got ${quoted(name)}.`,
    );
  }
  return inner === '' ? { folder } : { folder, inner };
}
