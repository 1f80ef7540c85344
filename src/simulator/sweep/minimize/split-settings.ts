import { Model } from '../../scenario/file/schema/model.ts';
import type { SettingValue } from '../../scenario/setting.ts';

type Values = Readonly<Record<string, SettingValue>>;

/** Settings as a scenario has them: what is said of the model, and what of the policy. */
export function splitSettings(values: Values): { readonly model: Values; readonly policy: Values } {
  const entries = Object.entries(values);
  const ofModel = entries.filter(isOfModel).map(toModelEntry);
  return {
    model: Object.fromEntries(ofModel),
    policy: Object.fromEntries(entries.filter((entry) => !isOfModel(entry))),
  };
}

function isOfModel([name]: readonly [string, SettingValue]): boolean {
  return Object.hasOwn(Model.options[1].shape, name);
}

/** A scenario has durations with their unit. */
function toModelEntry([name, value]: readonly [string, SettingValue]): [string, SettingValue] {
  return [name, name === 'cacheTtl' ? `${String(value)}s` : value];
}
