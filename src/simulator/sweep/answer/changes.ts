import { readsSetting } from '../../report/agent-keys.ts';
import { examine, knowsReserve, settingWithoutEffect } from '../../scenario/checkup.ts';
import { applySettings, type SettingName, type SettingValues } from '../../scenario/settings.ts';
import { type InUse, todaysValue, valuesToTry } from '../tune/screen-axes.ts';

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

/** The settings that an answer looks at. */
const TRIED = ['triggerFraction', 'reserved', 'prune'] as const;

/** The changes that are worth trying on a policy with a model, one setting each. */
export function changesFor(inUse: InUse): readonly Change[] {
  return TRIED.filter((setting) => isAnswered(setting, inUse)).flatMap((setting) => {
    const today = todaysValue(setting, inUse);
    return valuesToTry(setting, inUse).flatMap((to) => {
      if (typeof to === 'string') return [];
      const from = typeof today === 'string' || today === undefined ? {} : { from: today };
      const change = { setting, ...from, to };
      return [{ ...change, isRead: isRead(change, inUse) }];
    });
  });
}

/** The settings that a change sets. */
export function settingsOf({ setting, to }: Candidate): SettingValues {
  return { [setting]: to };
}

/** Tests if an answer looks at a setting. No reserve where the agent reads none: the trigger sets the same threshold. */
export function isAnswered(setting: SettingName, { policy }: InUse): boolean {
  if (setting !== 'reserved') return TRIED.some((one) => one === setting);
  if (readsSetting(policy.name, 'triggerFraction') && !readsSetting(policy.name, 'reserved')) {
    return false;
  }
  return knowsReserve(policy);
}

function isRead(change: Candidate, inUse: InUse): boolean {
  const given = settingsOf(change);
  const target = applySettings(inUse, given);
  const checkup = examine({ base: inUse, target, given, floorTokens: 0 });
  return settingWithoutEffect.find(checkup).length === 0;
}
