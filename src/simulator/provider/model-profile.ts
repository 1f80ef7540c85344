import * as z from 'zod';
import { expectKind, expectLimits } from '../../engine/internal.ts';
import type { Limits } from '../../engine/index.ts';
import { amount, Count, expectValid, Tokens } from '../lib/expect.ts';
import { behaviourOf, type ProviderBehaviour } from './behaviours.ts';
import { type CacheRules, cacheRules } from './cache-rules.ts';
import { checks } from './checks.ts';
import { type CatalogModel, type Prices, toPrices } from './prices.ts';
import { refusals } from './refusals.ts';
import { dialects } from './usage.ts';

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

interface ProfileOptions {
  readonly name?: string | undefined;
  readonly prices?: Prices;
}

const tokenPrices = {
  inputPicoUsd: Count,
  outputPicoUsd: Count,
  cacheReadPicoUsd: Count.exactOptional(),
  cacheWritePicoUsd: Count.exactOptional(),
};

/** Prices by the token; one under another name would be unknown, or no number. */
const PricesSchema = z.strictObject({
  ...tokenPrices,
  tiers: z.array(z.strictObject({ ...tokenPrices, overTokens: Tokens })),
}) satisfies z.ZodType<Prices>;

const OptionsSchema = z.strictObject({
  name: z.string().optional(),
  prices: PricesSchema.optional(),
});

const UNKNOWN_LIMITS: Limits = { contextTokens: 0 };

/** Bytes of a request. */
export const Bytes = amount('a finite number of bytes, 0 or more');

/** Limits of a model; one under another name would be none. */
export const LimitsSchema = z.strictObject({
  contextTokens: Tokens,
  inputTokens: Tokens.exactOptional(),
  outputTokens: Tokens.exactOptional(),
}) satisfies z.ZodType<Limits>;

const BehaviourSchema = z.strictObject({
  dialect: oneOf(dialects),
  cache: oneOf(cacheRules),
  cacheMinimumTokens: Tokens.exactOptional(),
  refusal: oneOf(refusals),
  checks: z.array(oneOf(checks)),
  maxRequestBytes: Bytes.exactOptional(),
  npm: z.string(),
}) satisfies z.ZodType<ProviderBehaviour>;

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
  const limits = limit ? toLimits(limit) : UNKNOWN_LIMITS;
  return createProfile(id, limits, { name, ...(cost && { prices: toPrices(cost) }) });
}

/** The profile of a model with the behaviour of its provider. Throws a `TypeError` at invalid limits or prices. */
export function createProfile(
  id: string,
  limits: Limits,
  options: ProfileOptions = {},
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

function toLimits({ context, input, output }: NonNullable<CatalogModel['limit']>): Limits {
  return {
    contextTokens: context,
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
  };
}

function oneOf<Name extends string>(table: Readonly<Record<Name, unknown>>) {
  return z.enum(Object.keys(table) as [Name, ...Name[]]);
}
