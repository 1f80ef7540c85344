import { policies as presets, type Policy } from '../../engine/index.ts';
import { contentHash } from '../../simulator/content-hash.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { overrideProfile } from '../../simulator/provider/override-profile.ts';
import {
  applySettings,
  type SettingName,
  settings,
  type SettingValues,
} from '../../simulator/scenario/settings.ts';
import { effectiveKey } from '../../simulator/sweep/run/effective-key.ts';

/** Policies and a model before any setting, and what was set. */
interface Settled {
  readonly policies: readonly Policy[];
  readonly model: ModelProfile;
  readonly values: SettingValues;
}

/** One of what was set, and all of it with or without that one. */
interface Change {
  readonly name: string;
  readonly value: SettingValues[keyof SettingValues];
  readonly values: SettingValues;
  readonly others: SettingValues;
}

/** A model that the catalog lacks has the window that was given, which is then no change of its own. */
const LIMITS: ReadonlySet<string> = new Set(['contextTokens', 'inputTokens', 'outputTokens']);

/** Settings that nothing of a run reads under any of the policies, one sentence each; nothing is set of the control. */
export function describeUnreadSettings({ policies, model, values }: Settled): readonly string[] {
  const settable = policies.filter(({ name }) => name !== presets.none.name);
  if (settable.length === 0) return [];
  const names = settable.map(({ name }) => name).join(', ');
  return Object.entries(values).flatMap(([name, value]) => {
    const rest = Object.entries(values).filter(([key]) => key !== name);
    const change = { name, value, values, others: Object.fromEntries(rest) };
    const isUnread = settable.every((policy) => ignores(policy, model, change));
    if (LIMITS.has(name) || !isUnread) return [];
    return [`'${name}=${value}' changes nothing under ${names}: nothing there reads it.`];
  });
}

function ignores(policy: Policy, model: ModelProfile, change: Change): boolean {
  const keyWith = (some: SettingValues) => keyOf(policy, model, some);
  return keyWith(change.values) === keyWith(change.others) && !hasAnyway(policy, model, change);
}

/** Whether a policy has the value without being told, while another one would change it. */
function hasAnyway(policy: Policy, model: ModelProfile, change: Change): boolean {
  const { name, value, values, others } = change;
  const settle = (some: SettingValues) => applySettings({ policy, limits: model.limits }, some);
  const [target, without] = [settle(values), settle(others)];
  // A provider that is set as it is anyway is no policy's matter.
  if (!isSame([target.provider], [without.provider])) return true;
  if (!isSame(target, without)) return false;
  if (typeof value === 'string') return true;
  const another = typeof value === 'number' ? otherThan(value, name) : !value;
  return !isSame(settle({ ...values, [name]: another }), without);
}

/** Whether two pieces of plain data are the same. */
function isSame(one: unknown, other: unknown): boolean {
  return contentHash(one) === contentHash(other);
}

/** Another number that a setting takes which takes this one. */
function otherThan(value: number, name: string): number {
  const isShare = Object.hasOwn(settings, name) && settings[name as SettingName].unit === 'share';
  return isShare ? value / 2 : value + 1;
}

function keyOf(policy: Policy, model: ModelProfile, values: SettingValues): string {
  const target = applySettings({ policy, limits: model.limits }, values);
  return effectiveKey({
    settings: values,
    policy: target.policy,
    model: overrideProfile(model, target.limits, target.provider),
    summarizer: '',
  });
}
