import { policies, type Policy, presetOrigins, resolvePolicy } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { cacheForTtl, type ModelProfile, overrideProfile } from '../../provider/model-profile.ts';
import { compareDecisions } from '../../replay/decisions.ts';
import { recordedArm } from '../../replay/recorded.ts';
import type { ModelChange } from '../../replay/simulate.ts';
import type { Trace } from '../../replay/trace.ts';
import { agentTitleOf } from '../../report/agent-keys.ts';
import { countOf } from '../../report/numbers.ts';
import { isArm, parseArm } from '../../scenario/arms.ts';
import { applySettings, type SettingValues } from '../../scenario/settings.ts';
import type { RecordedCompaction } from '../../session/session.ts';
import { limitsOn, mainStretch, type Setup } from '../../setup/setup.ts';
import { type CellContent, isSimulated } from '../grid.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';

type Meeting = Pick<CellContent, 'policy' | 'model' | 'onSetup' | 'settings'>;

type MetSetup = Omit<Setup, 'judged' | 'outsideOf' | 'ownCostUsd' | 'preset'>;

export type Met<Content extends Meeting> = Content & {
  readonly modelChanges?: readonly ModelChange[];
};

/** Automatic compactions by the steps before each, `null` where there was none. */
export type RecordedFit = readonly {
  readonly recorded: number | null;
  readonly predicted: number | null;
}[];

export interface BesideRecording {
  readonly recorded: Pick<ResultRow, 'fit' | 'metrics'> | undefined;
  readonly base: Pick<ResultRow, 'policy' | 'metrics'>;
  readonly setup: Setup | undefined;
}

const MOST_STEPS_APART = 1;

const OF_LIMITS = ['contextTokens', 'inputTokens', 'outputTokens'] as const;

/** A cell in a session; unchanged where nothing is known of the session. */
export function meetSetup<Content extends Meeting>(
  cell: Content,
  setup: MetSetup | undefined,
): Met<Content> {
  if (setup === undefined) return cell;
  const policy = isSimulated(cell) ? asConfigured(cell, setup) : cell.policy;
  if (!cell.onSetup) return { ...cell, policy, model: onRecordedCache(cell, setup) };
  // What really happened is not what is configured today.
  const today = isSimulated(cell) ? setup.configured?.limits : undefined;
  const settings = { ...today, ...cell.settings };
  const [first, ...others] = setup.stretches.map(({ messageId, model }) => ({
    messageId,
    model: withSettings(model, settings),
  }));
  return {
    ...cell,
    policy,
    model: first?.model ?? cell.model,
    ...(others.length > 0 && { modelChanges: others }),
  };
}

/** The same for setups that a cell meets alike. */
export function meetingKey(setup: MetSetup | undefined) {
  const { agent, release, isRefusalOnly, stretches = [], cacheTtlMs, configured } = setup ?? {};
  const models = stretches.map(({ messageId, model }, index) => [model, index > 0 && messageId]);
  return JSON.stringify([agent, release, isRefusalOnly, models, cacheTtlMs, configured]);
}

export function meetRuns(
  {
    policies: asked,
    model,
    onSetup,
    settings = {},
    modelChanges,
  }: {
    readonly policies: readonly Policy[];
    readonly model: ModelProfile;
    readonly onSetup?: boolean | undefined;
    readonly settings?: SettingValues | undefined;
    readonly modelChanges?: readonly ModelChange[] | undefined;
  },
  setup: Setup | undefined,
) {
  const cell = { model, settings, ...(onSetup && { onSetup: true as const }) };
  const met = meetSetup({ ...cell, policy: recordedArm }, setup);
  return {
    policies: asked.map((policy) => meetSetup({ ...cell, policy }, setup).policy),
    model: met.model,
    modelChanges: met.modelChanges ?? modelChanges,
  };
}

/** Where the agent's own preset compacts, in the window that is recorded; undefined without a preset. */
export function usableOf(setup: Setup): number | undefined {
  const met = meetPreset(setup);
  return met && ownUsableTokens({ policy: met.policy, limits: met.model.limits });
}

export function decisionsOf(trace: Trace, setup: Setup) {
  const met = meetPreset(setup);
  if (met === undefined) return undefined;
  const { policy } = met;
  const modelFor = (judged: RecordedCompaction | undefined) => modelOf(judged, trace, setup);
  return compareDecisions(trace, { policy, modelFor });
}

export function isFitting(fit: RecordedFit) {
  return fit.every(
    ({ recorded, predicted }) =>
      recorded !== null && predicted !== null && Math.abs(recorded - predicted) <= MOST_STEPS_APART,
  );
}

export function fitsRecording({ recorded, base, setup }: BesideRecording): boolean {
  const fit = recorded?.fit;
  if (fit === undefined || setup?.preset === undefined) return true;
  // Another agent's policy need not compact there.
  if (agentTitleOf(setup.preset) !== agentTitleOf(base.policy)) return true;
  if (!isFitting(fit)) return false;
  const isOwn = setup.preset === base.policy && setup.configured === undefined;
  const count = countRecorded(fit);
  const hasManual = (recorded?.metrics.compactions ?? 0) > count;
  return !isOwn || hasManual || base.metrics.compactions === count;
}

export function countUnfit(unfit: readonly BesideRecording[]) {
  return {
    sessions: unfit.length,
    recorded: sum(unfit.map(({ recorded }) => countRecorded(recorded?.fit ?? []))),
    simulated: sum(unfit.map(({ base }) => base.metrics.compactions ?? 0)),
  };
}

export function noteMisfits(runs: readonly Pick<ResultRow, 'fit'>[]): readonly string[] {
  const { length } = runs.filter(({ fit }) => fit !== undefined && !isFitting(fit));
  if (length === 0) return [];
  return [
    `In ${countOf(length, 'session')} the preset of the agent does not compact where the recording did: what is said of it holds less there.`,
  ];
}

function withSettings(model: ModelProfile, settings: SettingValues) {
  const base = { policy: policies.none, limits: model.limits };
  const { limits, provider } = applySettings(base, settings);
  const changed = overrideProfile(model, limits, provider);
  const isOther = setsLimits(settings) || provider?.trueContextTokens !== undefined;
  return isOther ? changed : { ...changed, trueLimits: model.trueLimits };
}

/** A model that somebody named keeps its known window; its cache lives as long as the recorded one. */
function onRecordedCache({ model, settings }: Meeting, setup: MetSetup) {
  const limits = setsLimits(settings) ? undefined : limitsOn(setup, model);
  const own = limits === undefined ? model : { ...model, limits, trueLimits: limits };
  const isSet = settings.cache !== undefined || settings.cacheTtl !== undefined;
  return isSet ? own : { ...own, cache: cacheForTtl(own, setup.cacheTtlMs) };
}

function setsLimits(settings: SettingValues) {
  return OF_LIMITS.some((name) => settings[name] !== undefined);
}

/** The agent's own presets with what its configuration sets, where nothing else was set. */
function asConfigured(
  { policy, settings, model: { limits } }: Meeting & { readonly policy: Policy },
  { agent, configured, isRefusalOnly }: MetSetup,
) {
  if (!isArm(policy.name)) return policy;
  const { preset, settings: own } = parseArm(policy.name);
  if (presetOrigins[preset].agent !== agent) return policy;
  const set = { ...configured?.settings, ...settings, ...own };
  const isFree = ([name]: readonly [string, unknown]) =>
    !Object.hasOwn(own, name) && !Object.hasOwn(settings, name);
  const free = Object.fromEntries(Object.entries(configured?.settings ?? {}).filter(isFree));
  const today = applySettings({ policy, limits }, free).policy;
  return isRefusalOnly && !Object.keys(set).some((name) => name.startsWith('trigger'))
    ? resolvePolicy(today, { trigger: { afterStep: false, beforeRequest: false } })
    : today;
}

function meetPreset(setup: Setup) {
  if (setup.preset === undefined) return undefined;
  const { model } = mainStretch(setup);
  const { configured: _, ...recorded } = setup;
  const cell = { policy: policies[setup.preset], model, settings: {}, onSetup: true as const };
  return meetSetup(cell, recorded);
}

function countRecorded(fit: RecordedFit) {
  return fit.filter(({ recorded }) => recorded !== null).length;
}

function modelOf(
  judged: RecordedCompaction | undefined,
  { recordedCompactions, turns }: Trace,
  { judged: known = {}, stretches }: Setup,
) {
  const alone = judged && known[recordedCompactions.indexOf(judged)];
  if (alone !== undefined) return alone;
  const before = judged?.messageIndex ?? Infinity;
  const begun = new Map(stretches.map((stretch) => [stretch.messageId, stretch]));
  let current = stretches[0];
  let index = 0;
  for (const { steps } of turns) {
    index += 1;
    for (const { message } of steps) {
      if (index < before) current = begun.get(message.id) ?? current;
      index += 1;
    }
  }
  return (current ?? mainStretch({ stretches })).model;
}
