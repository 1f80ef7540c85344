/** What the profile of a model from outside has to be. */

import {
  both,
  fields,
  finiteOf,
  having,
  limitsForm,
  listOf,
  once,
  oneOf,
  optional,
  text,
  tokens,
  whole,
  withKeys,
} from '../../engine/internal.ts';
import type { ProviderBehaviour } from './behaviours.ts';
import { cacheRules } from './cache/rules.ts';
import { checks } from './checks/checks.ts';
import type { ModelProfile } from './model-profile.ts';
import type { Prices, PriceTier, TokenPrices } from './prices.ts';
import { refusals } from './refusal/refusals.ts';
import { dialects } from './usage/dialects.ts';

const tokenPrices = {
  inputPicoUsd: whole,
  outputPicoUsd: whole,
  cacheReadPicoUsd: optional(whole),
  cacheWritePicoUsd: optional(whole),
} satisfies Record<keyof TokenPrices, unknown>;

/** Prices by the token; one under another name would be unknown, or no number. */
export const pricesForm = fields<Prices>({
  ...tokenPrices,
  tiers: listOf(fields<PriceTier>({ ...tokenPrices, overTokens: tokens })),
});

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

/** What a run can be made against. */
export const profileForm = once(
  both(
    withKeys('a model, such as `findModel` gives', 'limits', 'behaviour'),
    having<ModelProfile>({
      id: text,
      limits: limitsForm,
      trueLimits: limitsForm,
      prices: optional(pricesForm),
      behaviour,
    }),
  ),
);
