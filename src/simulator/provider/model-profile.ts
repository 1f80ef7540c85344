import {
  both,
  expectForm,
  expectText,
  fields,
  finiteOf,
  having,
  limitsForm,
  listOf,
  oneOf,
  optional,
  text,
  tokens,
  whole,
  withKeys,
} from '../../engine/internal.ts';
import type { Limits } from '../../engine/index.ts';
import { behaviourOf, type ProviderBehaviour } from './behaviours.ts';
import { type CacheRules, cacheRules } from './cache-rules.ts';
import { checks } from './checks.ts';
import {
  type CatalogModel,
  type Prices,
  type PriceTier,
  type TokenPrices,
  toPrices,
} from './prices.ts';
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
  inputPicoUsd: whole,
  outputPicoUsd: whole,
  cacheReadPicoUsd: optional(whole),
  cacheWritePicoUsd: optional(whole),
} satisfies Record<keyof TokenPrices, unknown>;

/** Prices by the token; one under another name would be unknown, or no number. */
const pricesForm = fields<Prices>({
  ...tokenPrices,
  tiers: listOf(fields<PriceTier>({ ...tokenPrices, overTokens: tokens })),
});

const optionsForm = fields<ProfileOptions>({ name: optional(text), prices: optional(pricesForm) });

const UNKNOWN_LIMITS: Limits = { contextTokens: 0 };

/** Of a request. */
export const bytes = finiteOf('bytes');

const behaviour = fields<ProviderBehaviour>({
  dialect: oneOf(dialects),
  cache: oneOf(cacheRules),
  cacheMinimumTokens: optional(tokens),
  refusal: oneOf(refusals),
  checks: listOf(oneOf(checks)),
  maxRequestBytes: optional(bytes),
  npm: text,
});

/** Check of a model profile. */
export const profileForm = both(
  withKeys('a model, such as `findModel` gives', 'limits', 'behaviour'),
  having<ModelProfile>({
    id: text,
    limits: limitsForm,
    trueLimits: limitsForm,
    prices: optional(pricesForm),
    behaviour,
  }),
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
  const { name, prices } = expectForm('options', options, optionsForm);
  const behaviour = behaviourOf(expectText('id', id));
  expectForm('limits', limits, limitsForm);
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
