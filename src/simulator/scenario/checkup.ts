import { isDeepStrictEqual } from 'node:util';
import {
  compactsUnasked,
  explainOverflow,
  type Limits,
  type OverflowExplanation,
  type OverflowRule,
  overflowRules,
  policies,
  type Policy,
} from '../../engine/index.ts';
import { NO_USAGE, tailBudgetTokens } from '../../engine/internal.ts';
import {
  applySettings,
  messagesInWindow,
  type SettingName,
  settings,
  type SettingTarget,
  type SettingValues,
  windowTokensOf,
} from './settings.ts';

export interface CheckupOptions {
  readonly base: SettingTarget;
  readonly target: SettingTarget;
  readonly given: SettingValues;
  /** Tokens of system prompt, tools and the newest request. */
  readonly floorTokens: number;
  readonly summarizer?: { readonly model: string; readonly limits: Limits } | undefined;
}

export interface Checkup extends CheckupOptions {
  /** Absent where no check is ever made. */
  readonly trigger?: OverflowExplanation;
  /** Absent if the same as before a request. */
  readonly afterStepTrigger?: OverflowExplanation;
}

export interface Complaint {
  readonly problem: string;
  readonly advice: string;
}

export interface Lint {
  /** `never-works`: no session can go on under it. */
  readonly severity: 'never-works' | 'warning';
  readonly find: (checkup: Checkup) => readonly Complaint[];
}

export interface LintFinding extends Complaint {
  readonly lint: string;
  readonly severity: Lint['severity'];
}

const SHARES = [0.5, 1];
const AMOUNTS = [1, 2];

const PRUNE_SETTINGS: readonly SettingName[] = [
  'protect',
  'minimum',
  'guardTurns',
  'keepOutputs',
  'clearEvery',
  'pause',
  'evicts',
];

export const settingWithoutEffect: Lint = {
  severity: 'warning',
  find: (checkup) =>
    Object.keys(settings)
      .filter((name): name is SettingName => Object.hasOwn(checkup.given, name))
      .flatMap((name) => findWithoutEffect(name, checkup)),
};

export function examine(options: CheckupOptions): Checkup {
  const { policy, limits } = options.target;
  const { trigger } = policy;
  if (!isChecked(policy)) return options;
  const general = explainTrigger(policy, limits, trigger.outputCapTokens);
  const { afterStepOutputCapTokens } = trigger;
  if (!trigger.afterStep || afterStepOutputCapTokens === undefined)
    return { ...options, trigger: general };
  const afterStepTrigger = explainTrigger(policy, limits, afterStepOutputCapTokens);
  if (!trigger.beforeRequest) return { ...options, trigger: afterStepTrigger };
  return afterStepTrigger.check.usableTokens === general.check.usableTokens
    ? { ...options, trigger: general }
    : { ...options, trigger: general, afterStepTrigger };
}

/** The tokens below which the policy does nothing; absent where it never checks or the window is unknown. */
export function usableTokensOf({ trigger }: Checkup) {
  return trigger === undefined || trigger.isUnlimited ? undefined : trigger.check.usableTokens;
}

export function isChecked({ trigger }: Policy) {
  return compactsUnasked(trigger) && (trigger.afterStep || trigger.beforeRequest);
}

export function canPivot({ cut, memory, trigger }: Policy) {
  if (cut.keep === 'everything' || memory !== undefined) return false;
  return compactsUnasked(trigger) || trigger.onRefusal === 'compact';
}

export function shownTokens(tokens: number) {
  return tokens.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

export function knowsReserve({ trigger }: Policy) {
  const rule: OverflowRule = overflowRules[trigger.overflow];
  return rule.ownReserve !== undefined;
}

export function isForeign(name: SettingName, target: Pick<SettingTarget, 'policy'>) {
  const [one, other] = probesOf(name).map((value) =>
    applySettings({ limits: { contextTokens: 0 }, ...target }, { [name]: value }),
  );
  return one !== undefined && isDeepStrictEqual(one, other);
}

function explainTrigger({ trigger }: Policy, limits: Limits, outputCapTokens: number) {
  const { overflow: rule, reservedTokens, windowShare, anyOf } = trigger;
  const options = { rule, reservedTokens, windowShare, anyOf, outputCapTokens };
  return explainOverflow(NO_USAGE, limits, options);
}

function findWithoutEffect(name: SettingName, checkup: Checkup) {
  const { base, given, target } = checkup;
  const others = Object.fromEntries(Object.entries(given).filter(([key]) => key !== name));
  const without = applySettings(base, others);
  if (!isDeepStrictEqual(effectOf(without, checkup), effectOf(target, checkup))) return [];
  const isSame = isDeepStrictEqual(without, target) && !isForeign(name, target);
  const isKept = isSame && target.policy.name !== policies.none.name;
  const [reason, advice] = isKept
    ? ['it is the value in force anyway', `Leave '${name}' out.`]
    : isRead(name, checkup)
      ? ['the result is the same without it', `Leave '${name}' out, or give another number.`]
      : explainUnread(name, target);
  return [{ problem: `'${name}=${String(given[name])}' has no effect: ${reason}`, advice }];
}

function effectOf(target: SettingTarget, checkup: Checkup) {
  const { policy, limits, provider } = target;
  if (policy.name === policies.none.name) return { provider };
  const { trigger, afterStepTrigger } = examine({ ...checkup, target });
  const isOn = canPivot(policy);
  const { beforeRequest, countsNewerMessages, counted = 'request-or-usage' } = policy.trigger;
  const countsNewer = counted === 'request-or-usage' && countsNewerMessages;
  return {
    provider,
    windowTokens: windowTokensOf(limits),
    estimator: (isOn || isChecked(policy) || !isPassOff(policy)) && policy.estimator,
    checks: isChecked(policy) && { beforeRequest, countsNewer },
    unlimited: trigger?.isUnlimited,
    usable: [trigger, afterStepTrigger].map((one) => one?.check),
    refusal: limits.contextTokens > 0 && policy.trigger.onRefusal,
    compacts: compactsUnasked(policy.trigger),
    prune: pruneOf(policy),
    windowMessages: messagesInWindow(policy),
    memory: policy.memory,
    cut: isOn && cutOf(target),
    summary: isOn && policy.summary,
    guards: (isOn || isChecked(policy)) && policy.guards,
  };
}

function pruneOf({ prune, trigger }: Policy) {
  const { cleanups = false, idleMs } = prune;
  if (isPassOff({ prune, trigger })) {
    const waits = cleanups && cleanups.some(({ when }) => when === 'idle') && { idleMs };
    return cleanups && { cleanups, ...waits };
  }
  return prune.pass === 'by-age' ? prune : { ...prune, byAge: undefined };
}

function isPassOff({ prune, trigger }: Pick<Policy, 'prune' | 'trigger'>) {
  if (!prune.enabled || prune.when === 'never') return true;
  return prune.when === 'on-overflow' && !compactsUnasked(trigger);
}

function cutOf({ policy, limits }: SettingTarget) {
  const { cut } = policy;
  if (cut.keep !== 'recent-turns') return cut;
  const { tokens: _tokens, maximumBudgetTokens: _maximum, ...rest } = cut;
  return { ...rest, budget: tailBudgetTokens(policy, limits) };
}

function probesOf(name: SettingName) {
  const { unit } = settings[name];
  if (unit === 'switch' || unit === 'name') return [];
  return unit === 'share' ? SHARES : AMOUNTS;
}

function isRead(name: SettingName, checkup: Checkup) {
  const { target } = checkup;
  const effect = effectOf(target, checkup);
  return probesOf(name)
    .map((value) => applySettings(target, { [name]: value }))
    .some((other) => !isDeepStrictEqual(effectOf(other, checkup), effect));
}

function explainUnread(
  name: SettingName,
  { policy, limits }: SettingTarget,
): readonly [reason: string, advice: string] {
  const { prune, trigger } = policy;
  if (policy.name === policies.none.name)
    return [`'${policy.name}' keeps its own rules`, 'Choose a preset that compacts.'];
  const other = `Leave '${name}' out, or choose a preset that uses it.`;
  if (name === 'reserved' && isChecked(policy)) {
    const isFromCap = reservesFromCap(policy, limits);
    const where = isFromCap ? 'where the model has no input cap' : 'on this model';
    const lacks = knowsReserve(policy) ? `leaves no reserve ${where}` : 'has no reserve';
    const advice = isFromCap
      ? "Set 'inputTokens' or 'outputCap', or choose a preset that keeps a reserve."
      : other;
    return [`overflow rule ${trigger.overflow} ${lacks}`, advice];
  }
  if (isForeign(name, { policy })) return [`'${policy.name}' has nothing of this kind`, other];
  const isOfPrune = PRUNE_SETTINGS.includes(name);
  const advice = isOfPrune && !prune.enabled ? "Add '--set prune=true'." : other;
  if (prune.when === 'never' && (isOfPrune || name === 'prune'))
    return [`'${policy.name}' has no prune`, advice];
  if (isOfPrune && isPassOff(policy)) return ['prune is off', advice];
  return isChecked(policy)
    ? [`'${policy.name}' does not use it on this model`, other]
    : ['tokens are never checked: auto is off, or the policy has no check', other];
}

function reservesFromCap({ trigger }: Policy, { contextTokens, ...limits }: Limits) {
  const capped = { ...limits, contextTokens, inputTokens: contextTokens };
  const [one, other] = AMOUNTS.map((reservedTokens) =>
    overflowRules[trigger.overflow].usable(capped, { ...trigger, reservedTokens }),
  );
  return one !== other;
}
