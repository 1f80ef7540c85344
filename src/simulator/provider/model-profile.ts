import * as z from 'zod';
import { expectKind, expectLimits } from '../../engine/internal.ts';
import type { Limits } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { expectValid, Tokens } from '../lib/expect.ts';
import { named } from '../lib/names.ts';
import type { ProviderOverrides } from '../scenario/settings.ts';
import {
  behaviourOf,
  BehaviourSchema,
  Bytes,
  type CacheName,
  cacheRules,
  type CacheRules,
  type ProviderBehaviour,
} from './behaviours.ts';
import { type CheckName, checks } from './checks.ts';
import { type CatalogModel, type Prices, PricesSchema, toPrices } from './prices.ts';
import { type RefusalName, refusals } from './refusals.ts';
import { type DialectName, dialects } from './usage.ts';

/** Limits, prices and provider behaviour of one model. */
export interface ModelProfile {
  /** `provider/model`. */
  readonly id: string;
  readonly name: string;
  /** As declared, which is what a policy knows; a context of 0 tokens where the catalog has no limits. */
  readonly limits: Limits;
  /** The limits that the provider enforces; equal to the declared ones by default. */
  readonly trueLimits: Limits;
  /** Absent when unknown. */
  readonly prices?: Prices;
  readonly behaviour: ProviderBehaviour;
  /** The cache rules that the behaviour names, with overrides. */
  readonly cache: CacheRules;
}

const OptionsSchema = z.strictObject({
  name: z.string().optional(),
  prices: PricesSchema.optional(),
});

/** Limits of a model; one under another name would be none. */
export const LimitsSchema = z.strictObject({
  contextTokens: Tokens,
  inputTokens: Tokens.exactOptional(),
  outputTokens: Tokens.exactOptional(),
}) satisfies z.ZodType<Limits>;

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

/** A model profile. */
export const ProfileSchema = z.looseObject(
  {
    id: z.string(),
    limits: LimitsSchema,
    trueLimits: LimitsSchema,
    prices: PricesSchema.exactOptional(),
    behaviour: BehaviourSchema,
  },
  { error: 'a model, such as `findModel` gives' },
);

/** The profile of a model as a catalog file has it. */
export function toModelProfile(id: string, { name, limit, cost }: CatalogModel): ModelProfile {
  const { context: contextTokens = 0, input: inputTokens, output: outputTokens } = limit ?? {};
  const limits = { contextTokens, ...known({ inputTokens, outputTokens }) };
  return createProfile(id, limits, { name, ...(cost && { prices: toPrices(cost) }) });
}

/** The profile of a model with the behaviour of its provider. Throws a `TypeError` at invalid limits or prices. */
export function createProfile(
  id: string,
  limits: Limits,
  options: { readonly name?: string | undefined; readonly prices?: Prices } = {},
): ModelProfile {
  const { name, prices } = expectValid('options', options, OptionsSchema);
  const behaviour = behaviourOf(expectKind('id', id, 'text'));
  expectLimits('limits', limits);
  return {
    id,
    name: name ?? id,
    limits,
    trueLimits: limits,
    ...(prices && { prices }),
    behaviour,
    cache: cacheOf(behaviour),
  };
}

/** Applies limits and provider settings to a profile. Throws a `HarnessError` at an unknown name, and a `TypeError` at invalid limits or an unknown override. */
export function overrideProfile(
  profile: ModelProfile,
  limits: Limits,
  overrides: ProviderOverrides = {},
): ModelProfile {
  expectValid('profile', profile, ProfileSchema);
  expectLimits('limits', limits);
  expectValid('overrides', overrides, OverridesSchema);
  const { trueContextTokens: contextTokens, trueInputTokens: inputTokens } = overrides;
  const own = known({ contextTokens, inputTokens });
  const { dialect, cache, refusal, checks: names, maxRequestBytes, cacheTtlMs } = overrides;
  const behaviour: ProviderBehaviour = {
    ...profile.behaviour,
    ...known({
      dialect: checked<DialectName>('dialect', dialects, dialect),
      cache: checked<CacheName>('cache', cacheRules, cache),
      refusal: checked<RefusalName>('refusal', refusals, refusal),
      checks: names?.flatMap((name) => checked<CheckName>('check', checks, name) ?? []),
      maxRequestBytes,
    }),
  };
  // The cache was changed before, unless another one is named.
  const rules = cache === undefined ? profile.cache : cacheOf(behaviour);
  return {
    ...profile,
    limits,
    // Reports tell of the true ones only where they are others.
    trueLimits: Object.keys(own).length === 0 ? limits : { ...limits, ...own },
    behaviour,
    cache: cacheTtlMs === undefined ? rules : { ...rules, ttlMs: cacheTtlMs },
  };
}

/** The cache rules that a behaviour names, with the minimum of the model. */
export function cacheOf({
  cache,
  cacheMinimumTokens,
}: Pick<ProviderBehaviour, 'cache' | 'cacheMinimumTokens'>): CacheRules {
  const rules: CacheRules = cacheRules[cache];
  return cacheMinimumTokens === undefined || rules.kind !== 'breakpoints'
    ? rules
    : { ...rules, minimumTokens: cacheMinimumTokens };
}

/** The cache rules of a model for entries that a recording asked to live so long. */
export function cacheForTtl(
  { behaviour, cache }: Pick<ModelProfile, 'behaviour' | 'cache'>,
  ttlMs: number | undefined,
): CacheRules {
  const isLong = behaviour.cache === 'anthropic-5m' && ttlMs === cacheRules['anthropic-1h'].ttlMs;
  return isLong ? cacheOf({ ...behaviour, cache: 'anthropic-1h' }) : cache;
}

function checked<Name extends string>(
  kind: string,
  table: Readonly<Record<Name, unknown>>,
  name: string | undefined,
): Name | undefined {
  if (name !== undefined) named(kind, table, name);
  return name as Name | undefined;
}
