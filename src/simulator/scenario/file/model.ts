import * as z from 'zod';
import { known } from '../../lib/collections.ts';
import type { ScenarioModel } from '../scenario.ts';
import { type Amount, parseAmount, parseDuration } from './amounts.ts';
import { Bytes, Duration, mapOf, oneOf, Text, matching, Tokens, told } from './leaves.ts';

export type Model = z.infer<typeof Model>;
export type ModelChange = z.infer<typeof ModelChange>;

const A_MODEL = 'a model as PROVIDER/MODEL';
const Price = z.number('a price in dollars').min(0, 'a price of at least 0 dollars');
const Id = matching(A_MODEL, /^[^/\s]+\/\S+$/).describe('PROVIDER/MODEL as in the catalog.');
const A_MAP = `${A_MODEL}, or a map with its id and what differs`;

const overrides = {
  contextTokens: told(Tokens, 'Context window as the policy knows it; 0 means none.'),
  inputTokens: told(Tokens, 'Cap on input as the policy knows it; 0 means none.'),
  outputTokens: told(Tokens, 'Longest answer as the policy knows it; 0 means unknown.'),
  trueContextTokens: told(Tokens, 'Context window that the provider really has.'),
  trueInputTokens: told(Tokens, 'Cap on input that the provider really has.'),
  dialect: told(Text, 'How the provider reports usage.'),
  cache: told(Text, 'Cache rules of the provider.'),
  refusal: told(Text, 'How the provider refuses a request that is too large.'),
  checks: told(z.array(Text, 'a list of checks'), 'What the provider checks besides the size.'),
  maxRequestBytes: told(Bytes, 'Largest request in bytes that the provider takes.'),
  cacheTtl: told(Duration, 'How long a cache entry lives.'),
  prices: told(
    mapOf('a map of prices', {
      input: Price,
      output: Price,
      cacheRead: Price.optional(),
      cacheWrite: Price.optional(),
    }),
    'Dollars per million tokens.',
  ),
};

/** A model by name, or with what the scenario changes about it. */
export const Model = oneOf(A_MAP, [Id, mapOf(A_MAP, { id: Id, ...overrides })]);

/** A model of a further run; a map without `id` is laid over the scenario's own. */
export const ModelChange = oneOf(A_MAP, [Id, mapOf(A_MAP, { id: Id.optional(), ...overrides })]);

export function toModel(model: Model): ScenarioModel {
  if (typeof model === 'string') return { id: model };
  const { id, cacheTtl, prices, dialect, cache, refusal, checks } = model;
  return {
    id,
    ...known({
      contextTokens: scaled(model.contextTokens),
      inputTokens: scaled(model.inputTokens),
      outputTokens: scaled(model.outputTokens),
      trueContextTokens: scaled(model.trueContextTokens),
      trueInputTokens: scaled(model.trueInputTokens),
      dialect,
      cache,
      refusal,
      checks,
      prices: prices && { ...known(prices), input: prices.input, output: prices.output },
      maxRequestBytes: scaled(model.maxRequestBytes),
      cacheTtlMs: cacheTtl === undefined ? undefined : parseDuration(cacheTtl),
    }),
  };
}

function scaled(amount: Amount | undefined) {
  return amount === undefined ? undefined : parseAmount(amount);
}
