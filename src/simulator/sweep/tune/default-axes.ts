import {
  type Limits,
  type OverflowRule,
  overflowRules,
  type Policy,
} from '../../../engine/index.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { isChecked, knowsReserve } from '../../scenario/checkup.ts';
import {
  cleanupOf,
  keepsMessages,
  keepsTokens,
  messagesInWindow,
  type Setting,
  type SettingName,
  settings,
  type SettingValue,
} from '../../scenario/settings.ts';
import type { Axis } from '../grid.ts';

/** A setting with the values that a grid has of it. */
export type SettingAxis = Axis & { readonly key: SettingName };

/** A policy with a model, as they are in use. */
export interface InUse {
  readonly policy: Policy;
  readonly limits: Limits;
}

type ReadToday = (inUse: InUse) => SettingValue | undefined;

/** Values of a setting in a default grid, in shares of today's. */
const FACTORS = [0.5, 1, 1.5, 2];

/** Values of a setting in a default grid if today's is 0, by unit. */
const VALUES_FROM_ZERO: Readonly<Partial<Record<Setting['unit'], readonly number[]>>> = {
  tokens: [0, 10_000, 20_000, 40_000],
  seconds: [0, 300, 1_800, 3_600],
};
const FEW_FROM_ZERO = [0, 1, 2, 4];

/** So many settings at most, for a grid is their product. */
const MOST_AXES = 3;

const OF_THE_TRIGGER: readonly SettingName[] = ['reserved', 'triggerFraction'];
const OF_A_PRUNE_BY_AGE: readonly SettingName[] = ['protect', 'minimum'];
const OF_WHAT_IS_KEPT: readonly SettingName[] = [
  'keepOutputs',
  'pause',
  'keepTokens',
  'keepShare',
  'keepMessages',
  'tailTurns',
];

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

/**
 * A grid around today's reserve and what a prune by age protects and asks for, where the policy has both; else around
 * those of its own numbers that matter most, as far as their values make a difference.
 */
export function defaultAxes(
  inUse: InUse,
  differs: (axis: SettingAxis) => boolean = () => true,
): readonly SettingAxis[] {
  const { policy } = inUse;
  if (knowsReserve(policy) && prunesByAge(policy)) {
    return axesOf(['reserved', ...OF_A_PRUNE_BY_AGE], inUse);
  }
  const names = [
    ...(isChecked(policy) ? OF_THE_TRIGGER : []),
    ...(prunesByAge(policy) ? OF_A_PRUNE_BY_AGE : []),
    ...OF_WHAT_IS_KEPT,
  ];
  return axesOf(names, inUse).filter(differs).slice(0, MOST_AXES);
}

/** A setting's value today; `undefined` if the policy has no number of its own for it. */
export function todaysValue(setting: SettingName, inUse: InUse): SettingValue | undefined {
  return PLACES[setting]?.(inUse);
}

function prunesByAge({ prune }: Policy): boolean {
  return prune.enabled && prune.when !== 'never' && prune.pass === 'by-age';
}

function axesOf(names: readonly SettingName[], inUse: InUse): readonly SettingAxis[] {
  return names.flatMap((key) => {
    const today = todaysValue(key, inUse);
    return typeof today === 'number' ? [{ key, values: valuesAround(today, key) }] : [];
  });
}

function valuesAround(today: number, key: SettingName): readonly number[] {
  const { unit } = settings[key];
  if (today === 0) return VALUES_FROM_ZERO[unit] ?? FEW_FROM_ZERO;
  const values = FACTORS.map((factor) =>
    unit === 'share' ? Math.min(1, roundShare(factor * today)) : Math.round(factor * today),
  );
  return [...new Set(values)];
}

function roundShare(share: number): number {
  return Math.round(share * 100) / 100;
}

/** Of a rule that knows no reserve, what the first one with a reserve has. */
function ownReserve({ overflow, outputCapTokens }: Policy['trigger'], limits: Limits): number {
  const rule: OverflowRule = overflowRules[overflow];
  const { ownReserve: read = overflowRules['v1.1.57'].ownReserve } = rule;
  return read(limits, outputCapTokens);
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
