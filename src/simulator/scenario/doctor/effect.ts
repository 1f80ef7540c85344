import { isDeepStrictEqual } from 'node:util';
import {
  type OverflowRule,
  overflowRules,
  policies,
  preserveBudget,
  type Policy,
} from '../../../engine/index.ts';
import type { SettingTarget } from '../setting.ts';
import { applySettings, type SettingName, settings } from '../settings.ts';
import { canPivot, type Checkup, examine, isChecked, windowOf } from './checkup.ts';
import type { Complaint, Lint } from './lint.ts';

/** A setting that leaves every effective number as it is. */
export const settingWithoutEffect: Lint = {
  severity: 'warning',
  describes: 'A setting changes nothing about when and what the policy compacts or prunes.',
  find: (checkup) =>
    Object.keys(settings)
      .filter((name): name is SettingName => Object.hasOwn(checkup.given, name))
      .flatMap((name) => findWithoutEffect(name, checkup)),
};

function findWithoutEffect(name: SettingName, checkup: Checkup): readonly Complaint[] {
  const { base, given, target } = checkup;
  const others = Object.fromEntries(Object.entries(given).filter(([key]) => key !== name));
  const without = applySettings(base, others);
  if (!isDeepStrictEqual(effectOf(without, checkup), effectOf(target, checkup))) return [];
  const isSame = isDeepStrictEqual(without, target) && !isForeign(name, target);
  const problem = `'${name}=${String(given[name])}' has no effect`;
  return [
    isSame && target.policy.name !== policies.none.name
      ? { problem: `${problem}: it is what holds anyway`, advice: `Leave '${name}' out.` }
      : { problem: `${problem}: ${reasonOf(name, target)}`, advice: adviceOf(name, target) },
  ];
}

/** All numbers that a run under this policy and these limits can depend on. */
function effectOf(target: SettingTarget, checkup: Checkup) {
  const { policy, limits } = target;
  if (policy.name === policies.none.name) return {};
  const { trigger, afterStepTrigger } = examine({ ...checkup, target });
  const isOn = canPivot(policy);
  return {
    windowTokens: windowOf(limits),
    unlimited: trigger?.isUnlimited,
    usable: [trigger, afterStepTrigger].map((one) => one?.check),
    refusal: limits.contextTokens > 0 && policy.trigger.onRefusal,
    compacts: policy.trigger.auto,
    prune: pruneOf(policy),
    cut: isOn && cutOf(policy, trigger?.check.usableTokens ?? 0),
    summary: isOn && policy.summary,
    guards: (isOn || isChecked(policy)) && policy.guards,
  };
}

function pruneOf({ prune, trigger }: Policy) {
  if (!prune.enabled || prune.when === 'never') return false;
  if (prune.when === 'on-overflow' && !trigger.auto) return false;
  return prune.pass === 'by-age' ? prune : { ...prune, byAge: undefined };
}

function cutOf({ cut }: Policy, usableTokens: number) {
  if (cut.keep !== 'recent-turns') return cut;
  const { tokens: preserveRecentTokens, maximumBudgetTokens, ...rest } = cut;
  return {
    ...rest,
    budget: preserveBudget(usableTokens, { maximumBudgetTokens, preserveRecentTokens }),
  };
}

const PRUNE_SETTINGS: readonly SettingName[] = [
  'protect',
  'minimum',
  'guardTurns',
  'keepOutputs',
  'pause',
  'evicts',
];

/** What a pivot must keep for a setting to say something. */
const KEPT_FOR: Partial<Record<SettingName, readonly Policy['cut']['keep'][]>> = {
  tailTurns: ['recent-turns'],
  tailTokens: ['recent-turns'],
  keepTokens: ['checkpoint', 'recent-messages', 'user-messages'],
  keepShare: ['last-share'],
};

/** Whether a setting is about something that the policy does not keep. */
function isForeign(name: SettingName, { policy }: Pick<SettingTarget, 'policy'>): boolean {
  const kept = KEPT_FOR[name];
  return kept !== undefined && !kept.includes(policy.cut.keep);
}

function reasonOf(name: SettingName, { policy }: SettingTarget): string {
  if (policy.name === policies.none.name) return `'${policy.name}' keeps its own rules`;
  if (name === 'reserved') {
    const rule = policy.trigger.overflow;
    return knowsReserve(policy)
      ? `overflow rule ${rule} leaves no reserve where the model has no input cap`
      : `overflow rule ${rule} knows no reserve`;
  }
  if (isForeign(name, { policy })) return `'${policy.name}' keeps nothing of that kind`;
  if (policy.prune.when === 'never' && [...PRUNE_SETTINGS, 'prune'].includes(name)) {
    return `'${policy.name}' has no prune`;
  }
  if (PRUNE_SETTINGS.includes(name) && pruneOf(policy) === false) return 'prune is off';
  if (!isChecked(policy)) return 'no check of tokens is made, for auto is off or there is none';
  return `'${policy.name}' does not look at it on this model`;
}

function knowsReserve({ trigger }: Policy): boolean {
  const rule: OverflowRule = overflowRules[trigger.overflow];
  return rule.ownReserve !== undefined;
}

function adviceOf(name: SettingName, { policy }: SettingTarget): string {
  if (policy.name === policies.none.name) return 'Take a preset that compacts.';
  if (PRUNE_SETTINGS.includes(name) && !policy.prune.enabled) return "Add '--set prune=true'.";
  if (name === 'reserved' && knowsReserve(policy))
    return "Set 'inputTokens' or 'outputCap', or take a preset that reserves.";
  return `Leave '${name}' out, or take a preset that looks at it.`;
}
