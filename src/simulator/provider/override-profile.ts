import * as z from 'zod';
import { expectLimits } from '../../engine/internal.ts';
import type { Limits } from '../../engine/index.ts';
import { expectValid, Tokens } from '../lib/expect.ts';
import { named } from '../lib/names.ts';
import type { ProviderOverrides } from '../scenario/settings.ts';
import type { ProviderBehaviour } from './behaviours.ts';
import { type CacheName, type CacheRules, cacheRules } from './cache-rules.ts';
import { type CheckName, checks } from './checks.ts';
import { Bytes, cacheOf, type ModelProfile, ProfileSchema } from './model-profile.ts';
import { type RefusalName, refusals } from './refusals.ts';
import { type DialectName, dialects } from './usage.ts';

/** Override values. Names are checked where they are looked up. */
export const overrideFields = {
  trueContextTokens: Tokens.exactOptional(),
  trueInputTokens: Tokens.exactOptional(),
  dialect: z.string().exactOptional(),
  cache: z.string().exactOptional(),
  refusal: z.string().exactOptional(),
  checks: z.array(z.string()).exactOptional(),
  maxRequestBytes: Bytes.exactOptional(),
  cacheTtlMs: z.number().exactOptional(),
};

const OverridesSchema = z.strictObject(overrideFields) satisfies z.ZodType<ProviderOverrides>;

/**
 * Applies limits and provider settings to a profile. Throws a `HarnessError` at an unknown name, and a `TypeError` at invalid limits
 * or an unknown override.
 */
export function overrideProfile(
  profile: ModelProfile,
  limits: Limits,
  overrides: ProviderOverrides = {},
): ModelProfile {
  expectValid('profile', profile, ProfileSchema);
  expectLimits('limits', limits);
  expectValid('overrides', overrides, OverridesSchema);
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
