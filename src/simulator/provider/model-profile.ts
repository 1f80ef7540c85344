import type { Limits } from '../../engine/index.ts';
import {
  expectForm,
  expectText,
  fields,
  limitsForm,
  optional,
  text,
} from '../../engine/internal.ts';
import { behaviourOf, type ProviderBehaviour } from './behaviours.ts';
import { type CacheRules, cacheRules } from './cache/rules.ts';
import type { CatalogModel } from './catalog-file.ts';
import { type Prices, toPrices } from './prices.ts';
import { pricesForm } from './profile-form.ts';

/** What one model of one provider accepts and costs, and how its provider behaves. */
export interface ModelProfile {
  /** `provider/model`. */
  readonly id: string;
  readonly name: string;
  /** As declared, which is what a policy knows; a context of 0 tokens where the catalog has no limits. */
  readonly limits: Limits;
  /** What the provider enforces; as declared unless somebody says otherwise. */
  readonly trueLimits: Limits;
  /** Absent when unknown. */
  readonly prices?: Prices;
  readonly behaviour: ProviderBehaviour;
  /** Those that the behaviour names, with whatever was changed about them. */
  readonly cache: CacheRules;
}

/** What else may be known of a model. */
interface ProfileOptions {
  readonly name?: string | undefined;
  readonly prices?: Prices;
}

const optionsForm = fields<ProfileOptions>({ name: optional(text), prices: optional(pricesForm) });

const UNKNOWN_LIMITS: Limits = { contextTokens: 0 };

/** The profile of a model as a catalog file has it. */
export function toModelProfile(id: string, { name, limit, cost }: CatalogModel): ModelProfile {
  const limits = limit ? toLimits(limit) : UNKNOWN_LIMITS;
  return createProfile(id, limits, { name, ...(cost && { prices: toPrices(cost) }) });
}

/**
 * The profile of a model whose provider behaves as one of that id does. Throws a `TypeError` at limits or prices that are
 * none.
 */
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

function toLimits({ context, input, output }: NonNullable<CatalogModel['limit']>): Limits {
  return {
    contextTokens: context,
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
  };
}
