import {
  type CountUnit,
  type Limits,
  type OverflowRule,
  overflowRules,
  type Policy,
} from '../../../engine/index.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { isChecked } from '../../scenario/checkup.ts';
import {
  cleanupOf,
  keepsMessages,
  keepsTokens,
  messagesInWindow,
  prunesEachRequest,
  type Setting,
  type SettingName,
  settings,
  type SettingValue,
} from '../../scenario/settings.ts';

export interface InUse {
  readonly policy: Policy;
  readonly limits: Limits;
}

type ReadToday = (inUse: InUse) => SettingValue | undefined;

const FACTORS = [0.5, 2];

const VALUES_FROM_ZERO: Readonly<Partial<Record<Setting['unit'], readonly number[]>>> = {
  tokens: [10_000, 40_000],
  seconds: [300, 3_600],
};
const FEW_FROM_ZERO = [1, 4];
const TRIGGERS = [0.6, 0.7, 0.8, 0.9];
/** Where a compaction at so many tokens is late, for each step costs what it holds. */
const LATE_TOKENS = 500_000;
const EARLIER_EDGES = [200_000, 400_000, 600_000, 800_000];
const RHYTHMS = [5, 20];
const RESERVE_STEP_TOKENS = 10_000;
const LEAST_TRIGGER_STEP = 0.02;
const SHARE_STEPS = 1_000;
const PLACES: Readonly<Partial<Record<SettingName, ReadToday>>> = {
  contextTokens: ({ limits }) => limits.contextTokens,
  inputTokens: ({ limits }) => limits.inputTokens,
  outputTokens: ({ limits }) => limits.outputTokens,
  reserved: ({ policy: { trigger }, limits }) =>
    trigger.reservedTokens ?? ownReserve(trigger, limits),
  triggerFraction: (inUse) => inUse.policy.trigger.windowShare ?? ownShare(inUse),
  outputCap: ({ policy }) => policy.trigger.outputCapTokens,
  triggerTokens: (inUse) => toCondition('tokens')(inUse) ?? lateEdgeTokens(inUse),
  triggerMessages: toCondition('messages'),
  triggerTurns: toCondition('turns'),
  triggerEvents: toCondition('events'),
  clearEvery: ({ policy }) =>
    prunesEachRequest(policy) ? (policy.prune.everySteps ?? 1) : undefined,
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
  keepMessages: ({ policy }) => {
    const { cut, memory } = policy;
    const kept = memory?.keepMessages ?? (keepsMessages(cut) ? cut.count : undefined);
    return messagesInWindow(policy) ?? kept;
  },
  keepTokens: ({ policy: { cut } }) => (keepsTokens(cut) ? cut.tokens : undefined),
  keepShare: ({ policy: { cut } }) => (cut.keep === 'last-share' ? cut.share : undefined),
  keepOutputs: ({ policy: { prune } }) => prune.keepLast?.outputs,
  pause: ({ policy: { prune } }) =>
    prune.idleMs === undefined ? undefined : prune.idleMs / MS_PER_SECOND,
  summaryCap: ({ policy }) => policy.summary.outputCapTokens,
  charsPerToken: ({ policy }) => policy.estimator.charsPerToken,
  maxIneffective: ({ policy }) => policy.guards.maxIneffective || undefined,
  maxRefilled: ({ policy }) => policy.guards.maxRefilled || undefined,
  maxFailures: ({ policy }) => policy.guards.maxFailures || undefined,
  ...Object.fromEntries(
    Object.entries(cleanupOf).map(([setting, name]): [string, ReadToday] => [
      setting,
      ({ policy: { prune } }) => prune.cleanups?.some(({ pass }) => pass === name) === true,
    ]),
  ),
};

export function valuesToTry(key: SettingName, inUse: InUse): readonly SettingValue[] {
  const today = todaysValue(key, inUse);
  if (key === 'prune') return inUse.policy.prune.when === 'never' ? [] : [today !== true];
  if (key === 'triggerFraction') {
    if (!isChecked(inUse.policy)) return [];
    return TRIGGERS.filter(
      (share) => typeof today !== 'number' || Math.abs(share - today) > LEAST_TRIGGER_STEP,
    );
  }
  if (typeof today !== 'number') return [];
  const late = key === 'triggerTokens' ? lateEdgeTokens(inUse) : undefined;
  if (late !== undefined) return EARLIER_EDGES.filter((tokens) => tokens < late);
  if (key === 'clearEvery') return RHYTHMS.filter((steps) => steps !== today);
  if (key !== 'reserved') return around(today, key);
  const reserves = [today - RESERVE_STEP_TOKENS, today + RESERVE_STEP_TOKENS];
  return reserves.filter((tokens) => tokens >= 0);
}

/** Tokens of a request at which the policy's own rule acts; `undefined` where it never does. */
export function ownUsableTokens({ policy, limits }: InUse): number | undefined {
  if (!isChecked(policy) || limits.contextTokens === 0) return undefined;
  const { overflow, reservedTokens, outputCapTokens } = policy.trigger;
  const usable = overflowRules[overflow].usable(limits, { reservedTokens, outputCapTokens });
  return Number.isFinite(usable) && usable > 0 ? usable : undefined;
}

/** Tokens at which a policy compacts late, in a large window; else `undefined`. */
export function lateEdgeTokens(inUse: InUse) {
  const { windowShare, anyOf } = inUse.policy.trigger;
  const tokens = windowShare || anyOf ? undefined : ownUsableTokens(inUse);
  return tokens !== undefined && tokens >= LATE_TOKENS ? tokens : undefined;
}

export function todaysValue(setting: SettingName, inUse: InUse) {
  return PLACES[setting]?.(inUse);
}

function toCondition(unit: CountUnit | 'tokens'): ReadToday {
  return ({ policy: { trigger } }) => {
    const found = (trigger.anyOf ?? []).flat().find((one) => one.unit === unit);
    return found !== undefined && 'atLeast' in found ? found.atLeast : undefined;
  };
}

function around(today: number, key: SettingName) {
  const { unit } = settings[key];
  if (today === 0) return VALUES_FROM_ZERO[unit] ?? FEW_FROM_ZERO;
  const values = FACTORS.map((factor) => {
    if (unit === 'share') return Math.min(1, roundShare(factor * today));
    return unit === 'characters' ? factor * today : Math.round(factor * today);
  });
  return [...new Set(values)].filter((value) => value !== today);
}

function ownShare(inUse: InUse) {
  const usable = ownUsableTokens(inUse);
  return usable === undefined ? undefined : roundShare(usable / inUse.limits.contextTokens);
}

function roundShare(share: number) {
  return Math.round(share * SHARE_STEPS) / SHARE_STEPS;
}

/** Of a rule that knows no reserve, what the first one with a reserve has. */
function ownReserve({ overflow, outputCapTokens }: Policy['trigger'], limits: Limits) {
  const rule: OverflowRule = overflowRules[overflow];
  const { ownReserve: read = overflowRules['v1.1.57'].ownReserve } = rule;
  return read(limits, outputCapTokens);
}
