import {
  type Limits,
  type OverflowRule,
  overflowRules,
  type Policy,
} from '../../../engine/index.ts';
import { cleanupOf } from '../../scenario/cleanup-settings.ts';
import { keepsMessages, keepsTokens } from '../../scenario/kept-number.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { MS_PER_SECOND } from '../../units.ts';
import type { Axis } from '../grid/axes.ts';

/** A policy with a model, as they are in use. */
export interface InUse {
  readonly policy: Policy;
  readonly limits: Limits;
}

/** What a default grid has of each setting, in shares of today's value. */
const FACTORS = [0.5, 1, 1.5, 2];

/** The same where today's value is 0. */
const VALUES_FROM_ZERO = [0, 10_000, 20_000, 40_000];

type ReadToday = (inUse: InUse) => SettingValue | undefined;

/** Where the value of a setting stands today; settings without a place have none of their own. */
const PLACES: Readonly<Partial<Record<SettingName, ReadToday>>> = {
  contextTokens: ({ limits }) => limits.contextTokens,
  inputTokens: ({ limits }) => limits.inputTokens,
  outputTokens: ({ limits }) => limits.outputTokens,
  reserved: ({ policy: { trigger }, limits }) =>
    trigger.reservedTokens ?? ownReserve(trigger, limits),
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
  keepMessages: ({ policy: { cut, memory } }) =>
    memory?.keepMessages ?? (keepsMessages(cut) ? cut.count : undefined),
  keepTokens: ({ policy: { cut } }) => (keepsTokens(cut) ? cut.tokens : undefined),
  keepShare: ({ policy: { cut } }) => (cut.keep === 'last-share' ? cut.share : undefined),
  keepOutputs: ({ policy: { prune } }) => prune.keepLast?.outputs,
  pause: ({ policy: { prune } }) =>
    prune.idleMs === undefined ? undefined : prune.idleMs / MS_PER_SECOND,
  summaryCap: ({ policy }) => policy.summary.outputCapTokens,
  charsPerToken: ({ policy }) => policy.estimator.charsPerToken,
  ...cleanupPlaces(),
};

function cleanupPlaces(): Partial<Record<SettingName, ReadToday>> {
  const places = Object.entries(cleanupOf).map(([setting, name]) => {
    const read: ReadToday = ({ policy: { prune } }) =>
      prune.cleanups?.some(({ pass }) => pass === name) === true;
    return [setting, read] as const;
  });
  return Object.fromEntries(places);
}

/** What a setting is today; `undefined` where the policy has no number of its own for it. */
export function todaysValue(setting: SettingName, inUse: InUse): SettingValue | undefined {
  return PLACES[setting]?.(inUse);
}

/** Of a rule that knows no reserve, what the first one with a reserve has. */
function ownReserve({ overflow, outputCapTokens }: Policy['trigger'], limits: Limits): number {
  const rule: OverflowRule = overflowRules[overflow];
  const { ownReserve: read = overflowRules['v1.1.57'].ownReserve } = rule;
  return read(limits, outputCapTokens);
}

/** A grid around today's reserve and, where the policy prunes by age, around what its prune protects and asks for. */
export function defaultAxes(inUse: InUse): readonly (Axis & { readonly key: SettingName })[] {
  const { enabled, when, pass } = inUse.policy.prune;
  const prunes = enabled && when !== 'never' && pass === 'by-age';
  const names: readonly SettingName[] = prunes ? ['reserved', 'protect', 'minimum'] : ['reserved'];
  return names.flatMap((key) => {
    const today = todaysValue(key, inUse);
    if (typeof today !== 'number') return [];
    const values =
      today === 0 ? VALUES_FROM_ZERO : FACTORS.map((share) => Math.round(share * today));
    return [{ key, values }];
  });
}
