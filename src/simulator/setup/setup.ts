import {
  type Limits,
  policies,
  type Policy,
  type PolicyName,
  presetOrigins,
} from '../../engine/index.ts';
import { known, sum } from '../lib/collections.ts';
import {
  type Catalog,
  findRecordedModel,
  idAtProvider,
  isSameModel,
  UNKNOWN_PROVIDER,
} from '../provider/catalog.ts';
import { cacheForTtl, createProfile, type ModelProfile } from '../provider/model-profile.ts';
import { type AgentConfigs, CODEX_SHARE } from '../scenario/agent-config.ts';
import { examine, usableTokensOf } from '../scenario/checkup.ts';
import { claimOfRecording, compareReleases } from '../scenario/recording-agents.ts';
import type { SettingValues } from '../scenario/settings.ts';
import type { Evidence, Stretch } from '../session/evidence.ts';
import { OWN_PROVIDER } from '../session/session.ts';

/** Steps in a row that ran under the same model in the same window. */
export interface SetupStretch {
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
  readonly agent?: string;
  readonly release?: string;
  /** Releases that the preset was observed in, such as `2.1.31 to 2.1.49`, where the recorded one is none of them. */
  readonly outsideOf?: string;
  /** The agent compacts this model at a refusal only, unless a threshold is set. */
  readonly isRefusalOnly?: true;
  /** In the order of their steps, at least one. */
  readonly stretches: readonly SetupStretch[];
  /** Lifetime of cached prompts; absent where the provider's own holds. */
  readonly cacheTtlMs?: number;
  /** The file's own cost; absent where it has none. */
  readonly ownCostUsd?: number;
  /** Limits and settings of today's configuration of the agent; absent for none. */
  readonly configured?: { readonly limits: Partial<Limits>; readonly settings: SettingValues };
  /** The model of each recorded compaction by its index, in the window that is known without it; absent where that is the same. */
  readonly judged?: Readonly<Record<number, ModelProfile>>;
}

/** Sources of setups besides recordings. */
export interface SetupSources {
  readonly catalog: Catalog;
  readonly fallback: () => ModelProfile;
  /** The window that somebody named for all sessions. */
  readonly givenTokens?: number | undefined;
  readonly windowOn?: ((model: string) => Partial<Limits> | undefined) | undefined;
  /** Settings of agents on this machine; none for recordings of elsewhere. */
  readonly configs?: AgentConfigs['configs'] | undefined;
}

/** Decides the setup of a session of a file. */
export type SetupOf = (evidence: Evidence, file: string) => Setup;

interface Context extends SetupSources {
  readonly evidence: Evidence;
  readonly preset: PolicyName | undefined;
  readonly agent: string | undefined;
  readonly config: ReturnType<AgentConfigs['configs']['get']>;
}

interface ReleaseModel {
  readonly agent: string;
  readonly from?: readonly number[];
  readonly models: RegExp;
  /** Window in force; absent where the row says nothing of it. */
  readonly contextTokens?: number;
  /** True where nothing but a refusal compacts, unless a threshold is set. */
  readonly isRefusalOnly?: true;
  readonly source: string;
}

interface Wanted {
  readonly agent: string;
  readonly release?: readonly number[] | undefined;
  readonly model: string;
}

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

/** Where the window of a model is looked for. */
export interface WindowSearch {
  readonly preset: PolicyName | undefined;
  readonly limits: Limits;
  readonly candidates: readonly number[];
  readonly fallback: Known<number>;
  readonly except?: number | undefined;
}

const LARGEST_WINDOW = 10_000_000;
const ROUND_TOKENS = 1_000;
/** By how much a context may lie below the edge where the agent did not note its size when it compacted. */
const UNNOTED_SHARE = 0.95;

const LARGE_WINDOW = 1_000_000;
const USUAL_WINDOW = 200_000;
const SHARED: ReadonlySet<Source> = new Set(['recorded', 'configured']);
const LARGE = /\[1m\]$/i;

/** The first row that holds decides each value. */
const ROWS: readonly ReleaseModel[] = [
  {
    agent: 'Claude Code',
    from: [2, 1, 197],
    models: /claude-(?:sonnet-4-5|haiku-4-5|opus-4-8)/,
    isRefusalOnly: true,
    source: 'runs of 2.1.197 and 2.1.332 (2026-11)',
  },
  {
    agent: 'Claude Code',
    models: LARGE,
    contextTokens: LARGE_WINDOW,
    source: "the model's name asks for it",
  },
  {
    agent: 'Claude Code',
    from: [2, 1, 205],
    models: /claude-(?:opus|sonnet|fable)-5/,
    contextTokens: LARGE_WINDOW,
    source:
      'JanDeDobbeleer/oh-my-posh: requests of 327,692 (fable-5, 2.1.205), 343,030 (sonnet-5, 2.1.209) and 559,279 tokens (opus-5, 2.1.219) accepted, a compaction at 998,659 (2.1.219)',
  },
  {
    agent: 'Claude Code',
    models: /claude/,
    contextTokens: USUAL_WINDOW,
    source:
      'entireio/cli: 30 compactions of claude-opus-4-6 at 167,000 to 178,000 (2.1.32 to 2.1.49)',
  },
];

const UNKNOWN_MODEL = 'unknown/unknown';
const NO_LIMITS: Limits = { contextTokens: 0 };
const SAME_WINDOW = 0.1;

/** Decides the setup of a session. */
export function setupOf(evidence: Evidence, sources: SetupSources): Setup {
  const claim = claimOfRecording(evidence);
  const agent = claim && presetOrigins[claim.preset].agent;
  const config = agent === undefined ? undefined : sources.configs?.get(agent);
  const context = { ...sources, evidence, preset: claim?.preset, agent, config };
  const stretches = settleAll(context);
  const { model } = mainStretch({ stretches });
  const { id } = model;
  const configured = configuredOn(context, model);
  const judged = judgeEach(context, stretches);
  const { release, cacheTtlMs, ownCostUsd } = evidence;
  const isRefusalOnly =
    agent !== undefined &&
    ROWS.some((row) => row.isRefusalOnly === true && holds(row, { agent, release, model: id }));
  return {
    ...known({ preset: claim?.preset, agent, release: release?.join('.') }),
    ...known({ outsideOf: claim?.outsideOf, isRefusalOnly: isRefusalOnly || undefined }),
    stretches: joinAlike(stretches),
    ...known({ cacheTtlMs, ownCostUsd, configured }),
    ...(Object.keys(judged).length > 0 && { judged }),
  };
}

/** The stretch of a setup whose model answered most steps: the first one in its most used window. */
export function mainStretch({ stretches }: Pick<Setup, 'stretches'>): SetupStretch {
  const stepsOf = ({ model }: SetupStretch) =>
    sum(stretches.filter((one) => one.model.id === model.id).map(({ steps }) => steps));
  const [most] = stretches.toSorted((a, b) => stepsOf(b) - stepsOf(a) || b.steps - a.steps);
  if (most === undefined) throw new RangeError('Expected a stretch of the setup, got none.');
  return most;
}

/** Tests if the window in force is another than the released or catalog one, by more than a tenth. */
export function isOtherWindow({ window, otherwise }: SetupStretch): boolean {
  return (
    otherwise !== undefined &&
    Math.abs(window.value - otherwise.value) > SAME_WINDOW * otherwise.value
  );
}

/** The limits of a named model in the recording, else in the agent's releases; `undefined` where its own hold. */
export function limitsOn(
  { agent, release, stretches }: Pick<Setup, 'agent' | 'release' | 'stretches'>,
  { id, limits }: ModelProfile,
): Limits | undefined {
  const recorded = stretches.findLast(({ model }) => isSameModel(model.id, id));
  if (recorded !== undefined) return recorded.model.limits;
  const numbers = release?.split('.').map(Number);
  const window = agent && releaseWindow({ agent, release: numbers, model: id });
  return window ? withWindow(limits, window) : undefined;
}

/** The window that a release of an agent gives a model; where the release is unknown, the newest one counts. */
export function releaseWindow(wanted: Wanted): number | undefined {
  return ROWS.find((row) => row.contextTokens !== undefined && holds(row, wanted))?.contextTokens;
}

/** The window of each stretch; one for all of them unless they state several, or no single one can be. */
export function findWindows(
  own: readonly Stretch[],
  search: WindowSearch,
): readonly Known<number>[] {
  const isStated = own.some(({ windowTokens }) => windowTokens !== undefined);
  const together = isStated ? undefined : inferWindow(own, search);
  if (together !== undefined) return own.map(() => together);
  let before = search.fallback;
  return own.map((stretch) => {
    const { windowTokens, largestTokens, compaction } = stretch;
    if (windowTokens !== undefined) before = { value: windowTokens, source: 'recorded' };
    else if (compaction === undefined) before = raised(before, largestTokens, search);
    else before = inferWindow([stretch], search) ?? raised(before, largestTokens, search);
    return before;
  });
}

/** The tokens at which a policy compacts by itself on a model; `undefined` where it never does. */
export function edgeTokens(policy: Policy, limits: Limits): number | undefined {
  const target = { policy, limits };
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

/** Limits with another window; caps above it are none. */
export function withWindow(limits: Limits, contextTokens: number): Limits {
  if (limits.contextTokens === contextTokens) return limits;
  const { inputTokens, outputTokens } = limits;
  return {
    contextTokens,
    ...(inputTokens !== undefined && inputTokens < contextTokens && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens: Math.min(outputTokens, contextTokens) }),
  };
}

function settleAll(context: Context, except?: number): readonly SetupStretch[] {
  const groups: Stretch[][] = [];
  for (const stretch of context.evidence.stretches) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.model === stretch.model) last.push(stretch);
    else groups.push([stretch]);
  }
  return groups.flatMap((own) => settle(own, context, except));
}

function settle(
  own: readonly Stretch[],
  context: Context,
  except: number | undefined,
): readonly SetupStretch[] {
  const { profile, source: modelSource } = modelOf(own[0]?.model, context);
  const search = { ...searchFor(profile, own[0]?.model ?? profile.id, context), except };
  const { fallback } = search;
  const { givenTokens } = context;
  const windows =
    givenTokens === undefined
      ? findWindows(own, search)
      : own.map(() => ({ value: givenTokens, source: 'given' as const }));
  return own.map(({ messageId, steps }, index) => {
    const window = windows[index] ?? fallback;
    // Codex records, and configures, a share of what the model takes.
    const isShare = context.agent?.startsWith('Codex') && SHARED.has(window.source);
    const takenTokens = isShare ? Math.round(window.value / CODEX_SHARE) : window.value;
    const limits = withWindow(search.limits, takenTokens);
    const trueLimits = withWindow(limits, Math.max(window.value, fallback.value));
    const model = { ...profile, limits, trueLimits };
    return {
      messageId,
      steps,
      model: { ...model, cache: cacheForTtl(model, context.evidence.cacheTtlMs) },
      modelSource,
      window,
      ...(window.value !== fallback.value && { otherwise: fallback }),
    };
  });
}

/** The catalog's model of a recorded name, or one without prices that has the limits of its id elsewhere. */
function modelOf(
  recorded: string | undefined,
  { fallback, catalog }: SetupSources,
): { readonly profile: ModelProfile; readonly source: Source } {
  if (recorded === undefined || recorded.startsWith(OWN_PROVIDER))
    return { profile: fallback(), source: 'assumed' };
  const id = recorded.replace(LARGE, '');
  const listed = (name: string) => catalog.models.get(findRecordedModel(catalog, name) ?? '');
  const { limits = NO_LIMITS } = listed(`${UNKNOWN_PROVIDER}${idAtProvider(id)}`) ?? {};
  const profile = listed(id) ?? createProfile(recorded || UNKNOWN_MODEL, limits);
  return { profile, source: 'recorded' };
}

function searchFor(profile: ModelProfile, name: string, context: Context): WindowSearch {
  const { agent, preset, evidence, config, windowOn } = context;
  const { contextTokens } = profile.limits;
  const configured = windowOn?.(profile.id) ?? config?.windowOn(profile.id);
  const released = agent && releaseWindow({ agent, release: evidence.release, model: name });
  const sources = [
    { value: configured?.contextTokens, source: 'configured' },
    { value: released || undefined, source: 'released' },
    { value: contextTokens > 0 ? contextTokens : undefined, source: 'catalog' },
  ] as const;
  const [fallback = { value: USUAL_WINDOW, source: 'assumed' }] = sources.flatMap(
    ({ value, source }): readonly Known<number>[] =>
      value === undefined ? [] : [{ value, source }],
  );
  const likely = [USUAL_WINDOW, LARGE_WINDOW, contextTokens, fallback.value];
  return {
    preset,
    limits: { ...profile.limits, ...configured },
    candidates: [...new Set(likely.filter((one) => one > 0))].toSorted((a, b) => a - b),
    fallback,
  };
}

function joinAlike(stretches: readonly SetupStretch[]): readonly SetupStretch[] {
  const joined: SetupStretch[] = [];
  for (const stretch of stretches) {
    const last = joined.at(-1);
    const isSame =
      last?.model.id === stretch.model.id && last.window.value === stretch.window.value;
    if (last && isSame) joined.splice(-1, 1, { ...last, steps: last.steps + stretch.steps });
    else joined.push(stretch);
  }
  return joined;
}

function configuredOn(
  { preset, config, windowOn, evidence }: Context,
  { id, limits: recorded }: ModelProfile,
): Setup['configured'] {
  const limits = windowOn?.(id) ?? config?.windowOn(id) ?? {};
  const { release } = evidence;
  const met = { limits: { ...recorded, ...limits }, model: id, release };
  const settings = config && preset ? config.settingsOn({ ...met, policy: policies[preset] }) : {};
  const isSilent = Object.keys({ ...limits, ...settings }).length === 0;
  return isSilent ? undefined : { limits, settings };
}

function judgeEach(context: Context, stretches: readonly SetupStretch[]) {
  const judged = context.evidence.stretches.flatMap(({ compaction }, place) => {
    if (compaction === undefined) return [];
    const alone = settleAll(context, compaction.index)[place];
    const isSame = alone?.window.value === stretches[place]?.window.value;
    return alone === undefined || isSame ? [] : [[compaction.index, alone.model] as const];
  });
  return Object.fromEntries(judged);
}

function holds({ agent, from, models }: ReleaseModel, wanted: Wanted): boolean {
  const { release } = wanted;
  return (
    agent === wanted.agent &&
    models.test(wanted.model) &&
    (from === undefined || release === undefined || compareReleases(from, release) <= 0)
  );
}

/** The candidate whose edge lies nearest below all compactions and that holds what was accepted; else what size and rule give. */
function inferWindow(own: readonly Stretch[], search: WindowSearch): Known<number> | undefined {
  const largest = Math.max(0, ...own.map(({ largestTokens }) => largestTokens));
  const ends = own.flatMap(({ compaction }) =>
    compaction?.tokens === undefined || compaction.index === search.except ? [] : [compaction],
  );
  const sizes = ends.map(({ tokens = 0, isNoted }) => (isNoted ? tokens : tokens / UNNOTED_SHARE));
  const edges = search.candidates.map((value) => ({ value, edge: edgeIn(value, search) }));
  if (sizes.length === 0 || edges.some(({ edge }) => edge === undefined))
    return raised(search.fallback, largest, search);
  const least = Math.min(...sizes);
  const fitting = edges.findLast(({ value, edge = Infinity }) => edge <= least && value >= largest);
  if (fitting !== undefined) return { value: fitting.value, source: 'inferred' };
  if (own.length > 1) return undefined;
  if (!ends.every(({ isNoted }) => isNoted)) return raised(search.fallback, largest, search);
  return { value: Math.max(largest, solveWindow(least, search)), source: 'inferred' };
}

/** An accepted request shows that a window is larger than a lower source has it. */
function raised(one: Known<number>, largest: number, { candidates }: WindowSearch): Known<number> {
  if (largest <= one.value) return one;
  return { value: candidates.find((each) => each >= largest) ?? largest, source: 'inferred' };
}

function edgeIn(windowTokens: number, { preset, limits }: WindowSearch): number | undefined {
  return preset && edgeTokens(policies[preset], withWindow(limits, windowTokens));
}

/** The largest window whose edge is not above a size, in whole thousands. */
function solveWindow(tokens: number, search: WindowSearch): number {
  let [low, high] = [0, LARGEST_WINDOW];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((edgeIn(middle, search) ?? Infinity) <= tokens) low = middle;
    else high = middle;
  }
  return Math.floor(low / ROUND_TOKENS) * ROUND_TOKENS;
}
