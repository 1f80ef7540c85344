import { policies, type Policy, presetOrigins, resolvePolicy } from '../../../engine/index.ts';
import { cacheForTtl, type ModelProfile, overrideProfile } from '../../provider/model-profile.ts';
import { recordedArm } from '../../replay/recorded.ts';
import type { ModelChange } from '../../replay/simulate.ts';
import { isArm, parseArm } from '../../scenario/arms.ts';
import { applySettings, type SettingValues } from '../../scenario/settings.ts';
import { limitsOn, type Setup } from '../../setup/setup.ts';
import { type CellContent, isSimulated } from '../grid.ts';

type Meeting = Pick<CellContent, 'policy' | 'model' | 'onSetup' | 'settings'>;

type MetSetup = Omit<Setup, 'judged' | 'outsideOf' | 'ownCostUsd' | 'preset'>;

export type Met<Content extends Meeting> = Content & {
  readonly modelChanges?: readonly ModelChange[];
};

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
