/** Opens summarizers by name, with one budget, limiter and cassette for all of them. */

import type { Environment } from '../env.ts';
import { keepIn } from '../lib/collections.ts';
import { badOption } from '../lib/errors.ts';
import { quoted } from '../lib/names.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { type ApiName, createSdkModel, systemClock } from './ai-sdk.ts';
import { modelNameIn, parseCassette } from './cassette/cassette-name.ts';
import {
  askedIn,
  type CassetteMode,
  type CassetteOptions,
  createCassette,
  createPlayback,
  createSilent,
} from './cassette/cassette.ts';
import type { Asked } from './cassette/outline.ts';
import { apiKeyOf, type KeySettings } from './model/api-key.ts';
import { type Budget, createBudget } from './model/budget.ts';
import { checkProvider } from './model/check-provider.ts';
import type { Clock } from './model/clock.ts';
import { createDryRun, type DryRun, type Estimate } from './model/dry-run.ts';
import { createLimiter, type Limiter } from './model/limiter.ts';
import { createModelSummarizer } from './model/model-summarizer.ts';
import { confidentialIn, createScrub } from './model/scrub.ts';
import { isModelName, type ModelSpec, parseModelName } from './model/spec.ts';
import type { AnySummarizer, AsyncSummarizer } from './summarizer.ts';
import { findSummarizer } from './summarizers.ts';

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
  /** Whether somebody relies on a cassette, so that no real model is to be asked without one. */
  readonly needsCassette?: boolean | undefined;
  /** What to write into recordings as that which answered; by default where the models are. */
  readonly recordedAgainst?: string | undefined;
}

/** What lies around the summarizers. */
export interface ModelSurroundings {
  readonly environment: Environment;
  readonly profiles: ReadonlyMap<string, ModelProfile>;
  /** The machine's own by default. */
  readonly clock?: Clock | undefined;
  /** What is shared with others who ask; of this registry alone by default. */
  readonly shared?: { readonly limiter: Limiter; readonly budget: Budget } | undefined;
}

/** Summarizers of any kind by name. All of one registry share its limits and its budget. */
export interface SummarizerRegistry {
  find(name: string): AnySummarizer;
  /** Who answers under a name; needs nothing of what asking does, such as a key. */
  identify(name: string): Asked;
  /** The model behind a name, where it is one that the catalog knows. */
  profileOf(name: string): ModelProfile | undefined;
  /**
   * Whose limits and prices hold for the summaries of a name: those of a real model if the catalog knows it, else
   * those that are lent; but a model that nobody knows has no price.
   */
  summaryModelOf(name: string, lent: ModelProfile | undefined): ModelProfile | undefined;
  /** What dry runs came to so far, by name. */
  estimates(): ReadonlyMap<string, Estimate>;
  spentNanoUsd(): number;
  /** The most that requests may have cost which were never answered. */
  unansweredNanoUsd(): number;
}

/** What all summarizers of a registry share. */
interface SharedResources extends ModelSurroundings {
  readonly clock: Clock;
  readonly settings: ModelSettings;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly scrub: (text: string) => string;
  readonly dryRuns: Map<string, DryRun>;
}

/** A registry in which nothing has been asked or spent. */
export function openSummarizers(
  settings: ModelSettings,
  surroundings: ModelSurroundings,
): SummarizerRegistry {
  const { environment, profiles, clock = systemClock, shared } = surroundings;
  const dryRuns: SharedResources['dryRuns'] = new Map();
  const resources: SharedResources = {
    ...surroundings,
    clock,
    settings,
    limiter: shared?.limiter ?? createLimiter(settings, clock),
    budget: shared?.budget ?? createBudget(settings.budgetUsd),
    scrub: createScrub(confidentialIn(environment, settings.apiKeyEnv)),
    dryRuns,
  };
  const profileOf = (name: string) => {
    const inner = modelNameIn(name);
    return inner === undefined ? undefined : profiles.get(idOf(parseModelName(inner)));
  };
  return {
    find: (name) => find(name, resources),
    identify: (name) => identify(name, resources),
    profileOf,
    summaryModelOf: (name, lent) =>
      profileOf(name) ?? (modelNameIn(name) === undefined ? lent : lent && withoutPrices(lent)),
    estimates: () => new Map([...dryRuns].map(([name, dryRun]) => [name, dryRun.estimate()])),
    spentNanoUsd: () => resources.budget.spentNanoUsd(),
    unansweredNanoUsd: () => resources.budget.unansweredNanoUsd(),
  };
}

function withoutPrices(profile: ModelProfile): ModelProfile {
  const { prices: _, ...rest } = profile;
  return rest;
}

function find(name: string, resources: SharedResources): AnySummarizer {
  const { settings, scrub } = resources;
  const cassette = parseCassette(name);
  if (cassette !== undefined) {
    const { folder, inner } = cassette;
    const options = cassetteOptions(folder, resources);
    if (inner !== undefined) return findInside(inner, options, resources);
    return createCassette(createSilent(askedIn(folder, scrub)), { ...options, mode: 'strict' });
  }
  if (!isModelName(name)) return findSummarizer(name);
  const { cassette: folder } = settings;
  if (folder === undefined) {
    checkCassette(name, settings);
    return findModel(name, resources);
  }
  return findInside(name, cassetteOptions(folder, resources), resources);
}

function identify(name: string, resources: SharedResources): Asked {
  const { folder, inner } = parseCassette(name) ?? {};
  if (folder !== undefined && inner === undefined) return askedIn(folder, resources.scrub);
  const own = inner ?? name;
  if (!isModelName(own)) return { name: findSummarizer(own).name };
  parseModelName(own);
  return { name: own, settings: asked(resources.settings) };
}

/** A strict cassette never asks, so that it needs no key, no package and no network. */
function findInside(
  name: string,
  options: CassetteOptions,
  resources: SharedResources,
): AnySummarizer {
  const { isDryRun } = resources.settings;
  if (options.mode === 'strict' && isModelName(name) && !isDryRun) {
    parseModelName(name);
    return createCassette(createSilent({ name, settings: asked(resources.settings) }), options);
  }
  const inner = isModelName(name) ? findModel(name, resources) : findSummarizer(name);
  return isDryRun ? createPlayback(inner, options) : createCassette(inner, options);
}

function cassetteOptions(folder: string, { settings, scrub }: SharedResources): CassetteOptions {
  const { cassetteMode: mode, recordedAgainst, baseUrl } = settings;
  const usual = baseUrl === undefined ? "the provider's own service" : 'a server named by base URL';
  return { folder, mode, scrub, recordedAgainst: recordedAgainst ?? usual };
}

function findModel(name: string, resources: SharedResources): AnySummarizer {
  const { settings, profiles, limiter, budget, clock, scrub, dryRuns, environment } = resources;
  const spec = parseModelName(name);
  const profile = profiles.get(idOf(spec));
  const { outputCapTokens, timeoutMs, retries } = settings;
  if (settings.isDryRun) {
    const options = { name, settings: asked(settings), profile, outputCapTokens };
    return keepIn(dryRuns, name, () => createDryRun(options)).summarizer;
  }
  checkPrice(name, profile, settings);
  checkProvider(spec, { profiles, baseUrl: settings.baseUrl });
  return createModelSummarizer({
    name,
    settings: asked(settings),
    model: createSdkModel({ ...spec, ...settings, apiKey: apiKeyOf(spec, settings, environment) }),
    profile,
    outputCapTokens,
    limiter,
    budget,
    clock,
    timeoutMs,
    retries,
    scrub,
  });
}

/** What decides an answer besides the model; where the model is does not. */
function asked({ api, streams, outputCapTokens }: ModelSettings): AsyncSummarizer['settings'] {
  return {
    ...(api !== undefined && { api }),
    ...(streams && { streams }),
    ...(outputCapTokens !== undefined && { outputCapTokens }),
  };
}

function checkCassette(name: string, { needsCassette = false, cassetteMode }: ModelSettings): void {
  if (!needsCassette) return;
  throw badOption(
    `Expected '--cassette' with '--cassette-mode ${cassetteMode}', because ${quoted(name)} would be asked without one.`,
  );
}

function checkPrice(
  name: string,
  profile: ModelProfile | undefined,
  { budgetUsd }: ModelSettings,
): void {
  if (budgetUsd === undefined || profile?.prices !== undefined) return;
  throw badOption(
    `Expected a price of ${quoted(name)} to keep a budget, but the catalog has none. Leave '--budget-usd' out, or give a catalog that has it.`,
  );
}

function idOf({ provider, model }: ModelSpec): string {
  return `${provider}/${model}`;
}
