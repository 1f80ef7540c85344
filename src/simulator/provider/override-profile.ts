import {
  expectForm,
  fields,
  finite,
  limitsForm,
  listOf,
  optional,
  text,
  tokens,
} from '../../engine/internal.ts';
import type { Limits } from '../../engine/index.ts';
import { named } from '../lib/names.ts';
import type { ProviderOverrides } from '../scenario/settings.ts';
import type { ProviderBehaviour } from './behaviours.ts';
import { type CacheName, type CacheRules, cacheRules } from './cache-rules.ts';
import { type CheckName, checks } from './checks.ts';
import { bytes, cacheOf, type ModelProfile, profileForm } from './model-profile.ts';
import { type RefusalName, refusals } from './refusals.ts';
import { type DialectName, dialects } from './usage.ts';

/** Checks of override values. Names are checked where they are looked up. */
export const overrideChecks = {
  trueContextTokens: optional(tokens),
  trueInputTokens: optional(tokens),
  dialect: optional(text),
  cache: optional(text),
  refusal: optional(text),
  checks: optional(listOf(text)),
  maxRequestBytes: optional(bytes),
  cacheTtlMs: optional(finite),
};

const overridesForm = fields<ProviderOverrides>(overrideChecks);

/**
 * Applies limits and provider settings to a profile. Throws a `HarnessError` at an unknown name, and a `TypeError` at invalid limits
 * or an unknown override.
 */
export function overrideProfile(
  profile: ModelProfile,
  limits: Limits,
  overrides: ProviderOverrides = {},
): ModelProfile {
  expectForm('profile', profile, profileForm);
  expectForm('limits', limits, limitsForm);
  expectForm('overrides', overrides, overridesForm);
  const behaviour = overrideBehaviour(profile.behaviour, overrides);
  return {
    ...profile,
    limits,
    trueLimits: trueLimits(limits, overrides),
    behaviour,
    cache: overrideCache({ ...profile, behaviour }, overrides),
  };
}

function trueLimits(
  limits: Limits,
  { trueContextTokens, trueInputTokens }: ProviderOverrides,
): Limits {
  if (trueContextTokens === undefined && trueInputTokens === undefined) return limits;
  return {
    ...limits,
    ...(trueContextTokens !== undefined && { contextTokens: trueContextTokens }),
    ...(trueInputTokens !== undefined && { inputTokens: trueInputTokens }),
  };
}

function overrideBehaviour(
  behaviour: ProviderBehaviour,
  { dialect, cache, refusal, checks: names, maxRequestBytes }: ProviderOverrides,
): ProviderBehaviour {
  return {
    ...behaviour,
    ...(dialect !== undefined && { dialect: checked<DialectName>('dialect', dialects, dialect) }),
    ...(cache !== undefined && { cache: checked<CacheName>('cache', cacheRules, cache) }),
    ...(refusal !== undefined && { refusal: checked<RefusalName>('refusal', refusals, refusal) }),
    ...(names && { checks: names.map((name) => checked<CheckName>('check', checks, name)) }),
    ...(maxRequestBytes !== undefined && { maxRequestBytes }),
  };
}

/** The cache of the behaviour, as it was changed before unless another one is named. */
function overrideCache(
  { behaviour, cache: rulesBefore }: ModelProfile,
  { cache, cacheTtlMs }: ProviderOverrides,
): CacheRules {
  const rules = cache === undefined ? rulesBefore : cacheOf(behaviour);
  return cacheTtlMs === undefined ? rules : { ...rules, ttlMs: cacheTtlMs };
}

function checked<Name extends string>(
  kind: string,
  table: Readonly<Record<Name, unknown>>,
  name: string,
): Name {
  named(kind, table, name);
  return name as Name;
}
