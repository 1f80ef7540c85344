import { readsSetting } from '../../report/agent-keys.ts';
import { examine, knowsReserve, settingWithoutEffect } from '../../scenario/checkup.ts';
import { applySettings, type SettingName } from '../../scenario/settings.ts';
import { type InUse, lateEdgeTokens, todaysValue, valuesToTry } from '../tune/screen-axes.ts';

export interface Change {
  readonly setting: SettingName;
  readonly from?: number | boolean;
  readonly to: number | boolean;
  readonly isRead: boolean;
}

const TRIED = ['triggerFraction', 'triggerTokens', 'reserved', 'prune'] as const;

export function changesFor(inUse: InUse) {
  return TRIED.filter((setting) => isAnswered(setting, inUse)).flatMap((setting) => {
    const from = todaysValue(setting, inUse);
    return valuesToTry(setting, inUse).flatMap((to): readonly Change[] => {
      if (typeof to === 'string') return [];
      const given = { [setting]: to };
      const target = applySettings(inUse, given);
      const checkup = examine({ base: inUse, target, given, floorTokens: 0 });
      const isRead = settingWithoutEffect.find(checkup).length === 0;
      const today = typeof from === 'string' || from === undefined ? {} : { from };
      return [{ setting, ...today, to, isRead }];
    });
  });
}

export function isAnswered(setting: SettingName, inUse: InUse) {
  const { policy } = inUse;
  const isLate = lateEdgeTokens(inUse) !== undefined;
  // Of a large window, shares are coarse: amounts are tried.
  if (setting === 'triggerFraction') return !isLate;
  if (setting === 'triggerTokens') return isLate;
  if (setting !== 'reserved') return TRIED.some((one) => one === setting);
  const readsTrigger = readsSetting(policy.name, 'triggerFraction');
  return knowsReserve(policy) && (readsSetting(policy.name, 'reserved') || !readsTrigger);
}
