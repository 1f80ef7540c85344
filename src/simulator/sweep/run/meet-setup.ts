/** A cell as a session meets it: the setup of the session stands in the place of a model that nobody named. */

import { policies, presetOrigins } from '../../../engine/index.ts';
import { cacheForTtl, type ModelProfile } from '../../provider/model-profile.ts';
import { overrideProfile } from '../../provider/override-profile.ts';
import type { ModelChange } from '../../replay/simulate.ts';
import { parseArm } from '../../scenario/arms.ts';
import { applySettings, type SettingValues } from '../../scenario/settings.ts';
import { limitsOn, type Setup } from '../../scenario/setup.ts';
import { type CellContent, isSimulated } from '../grid.ts';

/** The parts of a cell that a setup changes. */
type Meeting = Pick<CellContent, 'policy' | 'model' | 'onSetup' | 'settings'>;

/** The same in one session. */
export type Met<Content extends Meeting> = Content & {
  readonly modelChanges?: readonly ModelChange[];
};

const OF_LIMITS = ['contextTokens', 'inputTokens', 'outputTokens'] as const;

/** A cell in a session; unchanged where nothing is known of the session. */
export function meetSetup<Content extends Meeting>(
  cell: Content,
  setup: Setup | undefined,
): Met<Content> {
  if (setup === undefined) return cell;
  const policy = withConfigured(cell, setup);
  if (!cell.onSetup) return { ...cell, policy, model: onRecordedCache(cell, setup) };
  const { settings } = cell;
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

/** A profile with the settings that are about the model in force. */
function withSettings(model: ModelProfile, settings: SettingValues): ModelProfile {
  const { limits, provider } = applySettings(
    { policy: policies.none, limits: model.limits },
    settings,
  );
  const changed = overrideProfile(model, limits, provider);
  return setsLimits(settings) || provider?.trueContextTokens !== undefined
    ? changed
    : { ...changed, trueLimits: model.trueLimits };
}

/** A model that somebody named has the window that is known of it, and its cache lives as long as the recorded one. */
function onRecordedCache(
  { model, settings }: Pick<Meeting, 'model' | 'settings'>,
  setup: Setup,
): ModelProfile {
  const limits = setsLimits(settings) ? undefined : limitsOn(setup, model);
  const own = limits === undefined ? model : { ...model, limits, trueLimits: limits };
  const isSet = settings.cache !== undefined || settings.cacheTtl !== undefined;
  return isSet ? own : { ...own, cache: cacheForTtl(own, setup.cacheTtlMs) };
}

function setsLimits(settings: SettingValues): boolean {
  return OF_LIMITS.some((name) => settings[name] !== undefined);
}

/** What the agent's configuration sets for its own presets, where nothing else was set. */
function withConfigured(cell: Meeting, { agent, configured }: Setup): Meeting['policy'] {
  if (configured === undefined || !isSimulated(cell)) return cell.policy;
  const { preset, settings: own } = parseArm(cell.policy.name);
  if (presetOrigins[preset].agent !== agent) return cell.policy;
  const isFree = ([name]: readonly [string, unknown]) =>
    !Object.hasOwn(own, name) && !Object.hasOwn(cell.settings, name);
  const free = Object.fromEntries(Object.entries(configured).filter(isFree));
  return applySettings({ policy: cell.policy, limits: cell.model.limits }, free).policy;
}
