import * as z from 'zod';
import { Bytes, Duration, mapOf, oneOf, Text, text, Tokens } from './leaves.ts';

/** What a model is expected to be. */
const A_MODEL = 'a model as PROVIDER/MODEL';
const Price = z.number('a price in dollars').min(0, 'a price of at least 0 dollars');
const Id = text(A_MODEL, /^[^/\s]+\/\S+$/).describe('PROVIDER/MODEL as in the catalog.');
const A_MAP = `${A_MODEL}, or a map with its id and what differs`;

const overrides = {
  contextTokens: Tokens.optional().describe('Context window as the policy knows it; 0 means none.'),
  inputTokens: Tokens.optional().describe('Cap on input as the policy knows it; 0 means none.'),
  outputTokens: Tokens.optional().describe(
    'Longest answer as the policy knows it; 0 means unknown.',
  ),
  trueContextTokens: Tokens.optional().describe('Context window that the provider really has.'),
  trueInputTokens: Tokens.optional().describe('Cap on input that the provider really has.'),
  dialect: Text.optional().describe('How the provider reports usage.'),
  cache: Text.optional().describe('Cache rules of the provider.'),
  refusal: Text.optional().describe('How the provider refuses a request that is too large.'),
  checks: z
    .array(Text, 'a list of checks')
    .optional()
    .describe('What the provider checks besides the size.'),
  maxRequestBytes: Bytes.optional().describe('Largest request in bytes that the provider takes.'),
  cacheTtl: Duration.optional().describe('How long a cache entry lives.'),
  prices: mapOf('a map of prices', {
    input: Price,
    output: Price,
    cacheRead: Price.optional(),
    cacheWrite: Price.optional(),
  })
    .optional()
    .describe('Dollars per million tokens.'),
};

/** A model by name, or with what the scenario changes about it. */
export const Model = oneOf(A_MAP, [Id, mapOf(A_MAP, { id: Id, ...overrides })]);

/** The model of a further run; a map without `id` is laid over the scenario's own model. */
export const ModelChange = oneOf(A_MAP, [Id, mapOf(A_MAP, { id: Id.optional(), ...overrides })]);

/** A model by name, or with what the scenario changes about it. */
export type Model = z.infer<typeof Model>;
/** The model of a further run. */
export type ModelChange = z.infer<typeof ModelChange>;
