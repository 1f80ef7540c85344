import {
  type Limits,
  type OverflowRule,
  overflowRules,
  type Policy,
} from '../../../engine/index.ts';
import { cleanupOf } from '../../scenario/cleanup-settings.ts';
import { keepsMessages, keepsTokens, messagesInWindow } from '../../scenario/kept-number.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { MS_PER_SECOND } from '../../units.ts';

/** A policy with a model, as they are in use. */
export interface InUse {
  readonly policy: Policy;
  readonly limits: Limits;
}

type ReadToday = (inUse: InUse) => SettingValue | undefined;

/** Where the value of a setting stands today; settings without a place have none of their own. */
const PLACES: Readonly<Partial<Record<SettingName, ReadToday>>> = {
  contextTokens: ({ limits }) => limits.contextTokens,
  inputTokens: ({ limits }) => limits.inputTokens,
  outputTokens: ({ limits }) => limits.outputTokens,
  reserved: ({ policy: { trigger }, limits }) =>
    trigger.reservedTokens ?? ownReserve(trigger, limits),
  triggerFraction: ({ policy }) => policy.trigger.windowShare,
  outputCap: ({ policy }) => policy.trigger.outputCapTokens,
  auto: ({ policy }) => policy.trigger.auto,
  prune: ({ policy }) => policy.prune.enabled,
  protect: ({ policy }) => policy.prune.byAge.protectTokens,
  minimum: ({ policy }) => policy.prune.byAge.minimumTokens,
  guardTurns: ({ policy }) => policy.prune.byAge.guardTurns,
  tailTurns: ({ policy: { cut } }) => {
    if (cut.keep === 'last-turns') return cut.count;
    return cut.keep === 'recent-turns' ? cut.turns : undefined;
  },
  tailTokens: ({ policy: { cut } }) => (cut.keep === 'recent-turns' ? cut.tokens : undefined),
  keepMessages: ({ policy }) => messagesKept(policy),
  keepTokens: ({ policy: { cut } }) => (keepsTokens(cut) ? cut.tokens : undefined),
  keepShare: ({ policy: { cut } }) => (cut.keep === 'last-share' ? cut.share : undefined),
  keepOutputs: ({ policy: { prune } }) => prune.keepLast?.outputs,
  pause: ({ policy: { prune } }) =>
    prune.idleMs === undefined ? undefined : prune.idleMs / MS_PER_SECOND,
  summaryCap: ({ policy }) => policy.summary.outputCapTokens,
  charsPerToken: ({ policy }) => policy.estimator.charsPerToken,
  ...cleanupPlaces(),
};

/** What a setting is today; `undefined` where the policy has no number of its own for it. */
export function todaysValue(setting: SettingName, inUse: InUse): SettingValue | undefined {
  return PLACES[setting]?.(inUse);
}

function messagesKept(policy: Policy): number | undefined {
  const { cut, memory } = policy;
  const kept = memory?.keepMessages ?? (keepsMessages(cut) ? cut.count : undefined);
  return messagesInWindow(policy) ?? kept;
}

function cleanupPlaces(): Partial<Record<SettingName, ReadToday>> {
  const places = Object.entries(cleanupOf).map(([setting, name]) => {
    const read: ReadToday = ({ policy: { prune } }) =>
      prune.cleanups?.some(({ pass }) => pass === name) === true;
    return [setting, read] as const;
  });
  return Object.fromEntries(places);
}

/** Of a rule that knows no reserve, what the first one with a reserve has. */
function ownReserve({ overflow, outputCapTokens }: Policy['trigger'], limits: Limits): number {
  const rule: OverflowRule = overflowRules[overflow];
  const { ownReserve: read = overflowRules['v1.1.57'].ownReserve } = rule;
  return read(limits, outputCapTokens);
}
