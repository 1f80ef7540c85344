/** What held when a session was recorded, each value with its source: decided once, for every command. */

import {
  type Limits,
  policies,
  type Policy,
  type PolicyName,
  presetOrigins,
} from '../../engine/index.ts';
import { sum } from '../lib/collections.ts';
import { type Catalog, findRecordedModel, isSameModel } from '../provider/catalog.ts';
import { cacheForTtl, createProfile, type ModelProfile } from '../provider/model-profile.ts';
import type { Evidence, Stretch } from '../session/evidence.ts';
import { OWN_PROVIDER } from '../session/session.ts';
import type { AgentConfigs } from './agent-config.ts';
import { examine, usableTokensOf } from './checkup.ts';
import { claimOfRecording } from './recording-agents.ts';
import { LARGE_WINDOW, releaseWindow, USUAL_WINDOW } from './release-windows.ts';
import type { SettingValues } from './settings.ts';

/** Where a value comes from, the surest first. */
export type Source =
  | 'given'
  | 'recorded'
  | 'inferred'
  | 'configured'
  | 'released'
  | 'catalog'
  | 'assumed';

/** A value with its source. */
export interface Known<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** Steps in a row that ran under the same model in the same window. */
export interface SetupStretch {
  /** Id of its first step. */
  readonly messageId: string;
  readonly steps: number;
  /** Limits in force, prices, and the cache as long as it was recorded. */
  readonly model: ModelProfile;
  readonly modelSource: Source;
  readonly window: Known<number>;
  /** The released or catalog window, where it is not the one in force. */
  readonly otherwise?: Known<number>;
}

/** The conditions of a session. Plain data. */
export interface Setup {
  /** The agent's own preset in the recorded release; absent where none stands for it. */
  readonly preset?: PolicyName;
  /** The agent of the preset, as it calls itself. */
  readonly agent?: string;
  readonly release?: string;
  /** Releases that the preset was observed in, such as `2.1.36 to 2.1.49`, where the recorded one is none of them. */
  readonly outsideOf?: string;
  /** In the order of their steps, at least one. */
  readonly stretches: readonly SetupStretch[];
  /** Lifetime of cached prompts; absent where the provider's own holds. */
  readonly cacheTtlMs?: number;
  /** Settings that the agent finds on this machine, for its own presets; absent for none. */
  readonly configured?: SettingValues;
}

/** What setups are decided from besides recordings. */
export interface SetupSources {
  readonly catalog: Catalog;
  /** The model of sessions that name none. */
  readonly fallback: ModelProfile;
  /** Limits that a named configuration sets for a `provider/model`. */
  readonly windowOn?: ((model: string) => Partial<Limits> | undefined) | undefined;
  /** Settings of agents on this machine; none for recordings of elsewhere. */
  readonly configs?: AgentConfigs['configs'] | undefined;
}

/** Where windows of one model are looked for. */
interface Search {
  readonly preset: PolicyName | undefined;
  readonly limits: Limits;
  readonly candidates: readonly number[];
  readonly fallback: Known<number>;
}

/** Decides the setup of a session of a file. */
export type SetupOf = (evidence: Evidence, file: string, judged?: Judged) => Setup;

/** Compactions of a session are judged without the one of this index. */
export interface Judged {
  readonly except?: number;
}

/** No window is looked for above. */
const LARGEST_WINDOW = 10_000_000;
const ROUND_TOKENS = 1_000;
/** By how much a context may lie below the edge where the agent did not note its size when it compacted. */
const UNNOTED_SHARE = 0.95;
const UNKNOWN_MODEL = 'unknown/unknown';
/** By how much two windows may differ and be the same for a reader. */
const SAME_WINDOW = 0.1;

/** Decides the setup of a session. With `except`, the recorded compaction of that index says nothing. */
export function setupOf(evidence: Evidence, sources: SetupSources, judged: Judged = {}): Setup {
  const claim = claimOfRecording(evidence);
  const agent = claim && presetOrigins[claim.preset].agent;
  const { release, cacheTtlMs } = evidence;
  const context = { ...sources, evidence, preset: claim?.preset, agent, ...judged };
  const stretches = joinAlike(byModel(evidence.stretches).flatMap((own) => settle(own, context)));
  const main = mainOf(stretches);
  const configured = configuredOn(context, main.model);
  return {
    ...(claim && { preset: claim.preset, agent: presetOrigins[claim.preset].agent }),
    ...(release && { release: release.join('.') }),
    ...(claim?.outsideOf !== undefined && { outsideOf: claim.outsideOf }),
    stretches,
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    ...(configured && Object.keys(configured).length > 0 && { configured }),
  };
}

/** The stretch of a setup that most steps ran under. */
export function mainStretch({ stretches }: Pick<Setup, 'stretches'>): SetupStretch {
  return mainOf(stretches);
}

/** The tokens at which a policy compacts by itself on a model; `undefined` where it never does. */
export function edgeTokens(policy: Policy, limits: Limits): number | undefined {
  const target = { policy, limits };
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

/** Tests if the window in force is another than the released or catalog one, by more than a tenth. */
export function isOtherWindow({ window, otherwise }: SetupStretch): boolean {
  return (
    otherwise !== undefined &&
    Math.abs(window.value - otherwise.value) > SAME_WINDOW * otherwise.value
  );
}

/**
 * The limits of a model that somebody named: those in force in the recording where it is the recorded one, else those that the
 * agent's releases give it; `undefined` where its own hold.
 */
export function limitsOn(
  { agent, release, stretches }: Setup,
  { id, limits }: ModelProfile,
): Limits | undefined {
  const recorded = stretches.findLast(({ model }) => isSameModel(model.id, id));
  if (recorded !== undefined) return recorded.model.limits;
  const numbers = release?.split('.').map(Number);
  const row =
    agent === undefined ? undefined : releaseWindow({ agent, release: numbers, model: id });
  return row && withWindow(limits, row.contextTokens);
}

interface Context extends SetupSources, Judged {
  readonly evidence: Evidence;
  readonly preset: PolicyName | undefined;
  readonly agent: string | undefined;
}

/** Stretches of one model each. */
function byModel(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const last = groups.at(-1);
    if (last?.[0]?.model === stretch.model) last?.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}

/** Windows of stretches of one model; one for all of them unless they state several, or no single one can be. */
function settle(own: readonly Stretch[], context: Context): readonly SetupStretch[] {
  const { fallback: unnamed, evidence } = context;
  const { profile, source: modelSource } = modelOf(own[0]?.model, context);
  const search = searchFor(profile, own[0]?.model ?? unnamed.id, context);
  const windows = windowsOf(own, search, context);
  return own.map(({ messageId, steps }, index) => {
    const window = windows[index] ?? search.fallback;
    const limits = withWindow(search.limits, window.value);
    const model = {
      ...profile,
      limits,
      trueLimits: withWindow(limits, Math.max(window.value, search.fallback.value)),
    };
    return {
      messageId,
      steps,
      model: { ...model, cache: cacheForTtl(model, evidence.cacheTtlMs) },
      modelSource,
      window,
      ...(window.value !== search.fallback.value && { otherwise: search.fallback }),
    };
  });
}

/** The catalog's model of a recorded name; one of its own without prices where the catalog lacks it. */
function modelOf(
  recorded: string | undefined,
  { fallback, catalog }: SetupSources,
): { readonly profile: ModelProfile; readonly source: Source } {
  if (recorded === undefined || recorded.startsWith(OWN_PROVIDER)) {
    return { profile: fallback, source: 'assumed' };
  }
  const known = findRecordedModel(catalog, recorded);
  const profile = known === undefined ? undefined : catalog.models.get(known);
  return {
    profile: profile ?? createProfile(recorded || UNKNOWN_MODEL, { contextTokens: 0 }),
    source: 'recorded',
  };
}

/** The sources of a window below recordings: the agent's configuration, its releases, the catalog, or nothing. */
function searchFor(profile: ModelProfile, name: string, context: Context): Search {
  const { agent, preset, evidence, configs, windowOn } = context;
  const { contextTokens } = profile.limits;
  const own = agent === undefined ? undefined : configs?.get(agent)?.windowOn(profile.id);
  const configured = windowOn?.(profile.id) ?? own;
  const released =
    agent === undefined
      ? undefined
      : releaseWindow({ agent, release: evidence.release, model: name })?.contextTokens;
  const fallback: Known<number> =
    configured?.contextTokens !== undefined
      ? { value: configured.contextTokens, source: 'configured' }
      : released !== undefined
        ? { value: released, source: 'released' }
        : contextTokens > 0
          ? { value: contextTokens, source: 'catalog' }
          : { value: USUAL_WINDOW, source: 'assumed' };
  const all = [USUAL_WINDOW, LARGE_WINDOW, contextTokens, fallback.value].filter((one) => one > 0);
  return {
    preset,
    limits: { ...profile.limits, ...configured },
    candidates: [...new Set(all)].toSorted((a, b) => a - b),
    fallback,
  };
}

function windowsOf(
  own: readonly Stretch[],
  search: Search,
  context: Context,
): readonly Known<number>[] {
  const together = inferWindow(own, search, context);
  if (together !== undefined)
    return own.map(({ windowTokens }) => stated(windowTokens) ?? together);
  let before: Known<number> | undefined;
  return own.map((stretch) => {
    const alone = stated(stretch.windowTokens) ?? inferWindow([stretch], search, context);
    before = alone ?? raised(before ?? search.fallback, stretch.largestTokens, search);
    return before;
  });
}

function stated(windowTokens: number | undefined): Known<number> | undefined {
  return windowTokens === undefined ? undefined : { value: windowTokens, source: 'recorded' };
}

/**
 * The window by automatic compactions: the candidate whose edge lies nearest below all of them, and which is no smaller than what was
 * accepted; where there is none, the one that size and rule give. Without compactions it is the fallback, raised by what was accepted.
 */
function inferWindow(
  own: readonly Stretch[],
  search: Search,
  { except }: Judged,
): Known<number> | undefined {
  const largest = Math.max(0, ...own.map(({ largestTokens }) => largestTokens));
  const ends = own.flatMap(({ compaction }) =>
    compaction?.tokens === undefined || compaction.index === except ? [] : [compaction],
  );
  const sizes = ends.map(({ tokens = 0, isNoted }) => (isNoted ? tokens : tokens / UNNOTED_SHARE));
  const least = Math.min(...sizes);
  const edges = search.candidates.map((value) => ({ value, edge: edgeIn(value, search) }));
  if (sizes.length === 0 || edges.some(({ edge }) => edge === undefined)) {
    return own.length > 1 && own.some(({ windowTokens }) => windowTokens !== undefined)
      ? undefined
      : raised(search.fallback, largest, search);
  }
  const fitting = edges.findLast(({ value, edge = Infinity }) => edge <= least && value >= largest);
  if (fitting !== undefined) return { value: fitting.value, source: 'inferred' };
  if (own.length > 1 || !ends.every(({ isNoted }) => isNoted)) {
    return own.length > 1 ? undefined : raised(search.fallback, largest, search);
  }
  return { value: Math.max(largest, solveWindow(least, search)), source: 'inferred' };
}

/** An accepted request shows that a window is larger than a lower source has it. */
function raised(known: Known<number>, largest: number, { candidates }: Search): Known<number> {
  if (largest <= known.value) return known;
  return { value: candidates.find((one) => one >= largest) ?? largest, source: 'inferred' };
}

function edgeIn(windowTokens: number, { preset, limits }: Search): number | undefined {
  return preset && edgeTokens(policies[preset], withWindow(limits, windowTokens));
}

/** The largest window whose edge is not above a size, in whole thousands. */
function solveWindow(tokens: number, search: Search): number {
  let [low, high] = [0, LARGEST_WINDOW];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((edgeIn(middle, search) ?? Infinity) <= tokens) low = middle;
    else high = middle;
  }
  return Math.floor(low / ROUND_TOKENS) * ROUND_TOKENS;
}

function withWindow(limits: Limits, contextTokens: number): Limits {
  if (limits.contextTokens === contextTokens) return limits;
  const { inputTokens, outputTokens } = limits;
  return {
    contextTokens,
    ...(inputTokens !== undefined && inputTokens < contextTokens && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens: Math.min(outputTokens, contextTokens) }),
  };
}

/** Neighbours with the same model in the same window are one stretch. */
function joinAlike(stretches: readonly SetupStretch[]): readonly SetupStretch[] {
  const joined: SetupStretch[] = [];
  for (const stretch of stretches) {
    const last = joined.at(-1);
    const isSame =
      last?.model.id === stretch.model.id && last.window.value === stretch.window.value;
    if (last && isSame)
      joined[joined.length - 1] = { ...last, steps: sum([last.steps, stretch.steps]) };
    else joined.push(stretch);
  }
  return joined;
}

function mainOf(stretches: readonly SetupStretch[]): SetupStretch {
  const counts = stretches.map((one) => ({
    one,
    steps: sum(
      stretches.filter(({ model }) => model.id === one.model.id).map(({ steps }) => steps),
    ),
  }));
  const [most] = counts.toSorted((a, b) => b.steps - a.steps);
  if (most === undefined) throw new RangeError('Expected a stretch of the setup, got none.');
  return most.one;
}

function configuredOn(
  { agent, preset, configs, evidence }: Context,
  { id, limits }: ModelProfile,
): SettingValues | undefined {
  const config = agent === undefined ? undefined : configs?.get(agent);
  if (config === undefined || preset === undefined) return undefined;
  const { release } = evidence;
  return config.settingsOn({ policy: policies[preset], limits, model: id, release });
}
