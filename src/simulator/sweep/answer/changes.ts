import type { Limits, Policy } from '../../../engine/index.ts';
import { readsSetting } from '../../report/agent-keys.ts';
import {
  examine,
  isChecked,
  knowsReserve,
  settingWithoutEffect,
  usableTokensOf,
} from '../../scenario/checkup.ts';
import { applySettings, type SettingName, type SettingValues } from '../../scenario/settings.ts';
import { todaysValue } from '../tune/screen-axes.ts';

/** A change of one setting of a policy. */
export interface Change {
  readonly setting: SettingName;
  /** In force now: a share, tokens, or a switch; absent where unknown. */
  readonly from?: number | boolean;
  readonly to: number | boolean;
  /** False where the policy does not look at the setting on this model. */
  readonly isRead: boolean;
}

type Candidate = Omit<Change, 'isRead'>;

/** A policy on a model. */
interface InUse {
  readonly policy: Policy;
  readonly limits: Limits;
}

const TRIGGER_SHARES = [0.6, 0.7, 0.8, 0.9];
/** A trigger nearer to today's than that is the same. */
const SAME_SHARE = 0.02;
const RESERVE_STEP_TOKENS = 10_000;

/** The changes that are worth trying on a policy with a model, one setting each. */
export function changesFor(inUse: InUse): readonly Change[] {
  const all = [...triggerChanges(inUse), ...reserveChanges(inUse), ...pruneChanges(inUse)];
  return all.map((change) => ({ ...change, isRead: isRead(change, inUse) }));
}

/** The settings that a change sets. */
export function settingsOf({ setting, to }: Candidate): SettingValues {
  return { [setting]: to };
}

function isRead(change: Candidate, inUse: InUse): boolean {
  const given = settingsOf(change);
  const target = applySettings(inUse, given);
  const checkup = examine({ base: inUse, target, given, floorTokens: 0 });
  return settingWithoutEffect.find(checkup).length === 0;
}

/** The share of the window at which a policy compacts by itself; absent where it never does, or the window is unknown. */
function triggerShareOf(inUse: InUse): number | undefined {
  const usable = usableTokensOf(examine({ base: inUse, target: inUse, given: {}, floorTokens: 0 }));
  const { contextTokens } = inUse.limits;
  return usable === undefined || contextTokens === 0 ? undefined : usable / contextTokens;
}

function triggerChanges(inUse: InUse): readonly Candidate[] {
  if (!isChecked(inUse.policy)) return [];
  const today = triggerShareOf(inUse);
  return TRIGGER_SHARES.filter(
    (share) => today === undefined || Math.abs(share - today) > SAME_SHARE,
  ).map((share) => ({
    setting: 'triggerFraction',
    ...(today !== undefined && { from: today }),
    to: share,
  }));
}

/** None where the agent reads no reserve: the trigger sets the same threshold. */
function reserveChanges(inUse: InUse): readonly Candidate[] {
  const { name } = inUse.policy;
  if (readsSetting(name, 'triggerFraction') && !readsSetting(name, 'reserved')) return [];
  const today = todaysValue('reserved', inUse);
  if (!knowsReserve(inUse.policy) || typeof today !== 'number') return [];
  return [today - RESERVE_STEP_TOKENS, today + RESERVE_STEP_TOKENS]
    .filter((tokens) => tokens >= 0)
    .map((tokens) => ({ setting: 'reserved', from: today, to: tokens }));
}

function pruneChanges({ policy }: InUse): readonly Candidate[] {
  const { enabled, when } = policy.prune;
  if (when === 'never') return [];
  return [{ setting: 'prune', from: enabled, to: !enabled }];
}
