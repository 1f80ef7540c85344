import * as z from 'zod';
import { Count, Tokens } from '../lib/expect.ts';
import { describeMismatch, type Immutable, isObject } from '../lib/json.ts';
import { quotedLong } from '../lib/names.ts';

const tokenPrices = {
  inputPicoUsd: Count,
  outputPicoUsd: Count,
  /** Absent when unknown, which is not free. */
  cacheReadPicoUsd: Count.exactOptional(),
  /** Absent when unknown, which is not free. */
  cacheWritePicoUsd: Count.exactOptional(),
};
const TierSchema = z.strictObject({ ...tokenPrices, overTokens: Tokens });

/** The schema of `Prices`; a price under another name would be unknown. */
export const PricesSchema = z.strictObject({
  ...tokenPrices,
  /** By size, smallest first. */
  tiers: z.array(TierSchema),
});

/** List prices of one token in whole pico-dollars (a dollar per million tokens is 1,000,000), rounded half up. */
export type TokenPrices = Omit<Prices, 'tiers'>;

/** The prices of all tokens of a request whose input is larger than a size. */
export type PriceTier = Immutable<z.infer<typeof TierSchema>>;

/** The prices of one model. */
export type Prices = Immutable<z.infer<typeof PricesSchema>>;

type ModelCost = NonNullable<CatalogModel['cost']>;

/** Prices of requests that are no larger than any tier, and those of larger ones, smallest first. */
type Tiered<Each> = Each & {
  readonly tiers?: readonly (Each & Pick<PriceTier, 'overTokens'>)[] | undefined;
};

/** One model as a catalog file has it: limits in tokens, prices in dollars per million tokens. */
export type CatalogModel = z.infer<typeof CatalogModel>;

/** Prices of a model in a catalog file. */
type CatalogCost = z.infer<typeof CatalogCost>;

const PICO_USD_PER_TOKEN = 1_000_000;

/** The size that catalogs have a name of its own for. */
const OVER_200K_TOKENS = 200_000;

const tokens = z.int().nonnegative();
const price = z.number().nonnegative();

const CatalogCost = z.object({
  input: price,
  output: price,
  cache_read: price.optional(),
  cache_write: price.optional(),
});

const CatalogTier = CatalogCost.extend({
  tier: z.object({ type: z.string().optional(), size: tokens }),
});

const CatalogModel = z.object({
  name: z.string().optional(),
  limit: z
    .object({ context: tokens, input: tokens.optional(), output: tokens.optional() })
    .optional(),
  cost: CatalogCost.extend({
    tiers: z.array(CatalogTier).optional(),
    context_over_200k: CatalogCost.optional(),
  }).optional(),
});

/** The shape of models.dev's `api.json`, by provider id; keys it does not know are left out. */
export const CatalogFile = mapOf(z.object({ models: mapOf(CatalogModel) }));

/** Issues that a message shows before it only counts them. */
const SHOWN_ISSUES = 5;

/** The prices of a model as a catalog file has them. */
export function toPrices(cost: ModelCost): Prices {
  const tiers = [...listedTiers(cost), ...namedTier(cost)];
  return {
    ...toTokenPrices(cost),
    tiers: tiers.toSorted((some, other) => some.overTokens - other.overTokens),
  };
}

/** The prices of a request with that much input, cached or not: of the largest tier that it exceeds. */
export function pricesFor<Each>(prices: Tiered<Each>, inputTokens: number): Each {
  let held: Each = prices;
  for (const tier of prices.tiers ?? []) if (inputTokens > tier.overTokens) held = tier;
  return held;
}

/** Describes the faults of a catalog file, one field a line: where, expected, received. */
export function describeIssues({ issues }: z.ZodError): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map(describeIssue);
  const more = issues.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

/** Tiers by the size of the context; other kinds are passed over. */
function listedTiers({ tiers = [] }: ModelCost): readonly PriceTier[] {
  return tiers
    .filter(({ tier: { type = 'context' } }) => type === 'context')
    .map(({ tier, ...cost }) => ({ overTokens: tier.size, ...toTokenPrices(cost) }));
}

function toTokenPrices(cost: CatalogCost): TokenPrices {
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = cost;
  return {
    inputPicoUsd: toPicoUsd(input),
    outputPicoUsd: toPicoUsd(output),
    ...(cacheRead !== undefined && { cacheReadPicoUsd: toPicoUsd(cacheRead) }),
    ...(cacheWrite !== undefined && { cacheWritePicoUsd: toPicoUsd(cacheWrite) }),
  };
}

function toPicoUsd(usdPerMillionTokens: number): number {
  return Math.round(usdPerMillionTokens * PICO_USD_PER_TOKEN);
}

function namedTier({ context_over_200k: cost, tiers = [] }: ModelCost): readonly PriceTier[] {
  const isListed = tiers.some(({ tier }) => tier.size === OVER_200K_TOKENS);
  if (cost === undefined || isListed) return [];
  return [{ overTokens: OVER_200K_TOKENS, ...toTokenPrices(cost) }];
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const { path } = issue;
  const field = path.length === 0 ? 'the whole file' : quotedLong(z.core.toDotPath(path));
  return `  at ${field}: ${describeMismatch(issue)}`;
}

/** An object with keys from outside, as a map: there every key is like any other. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (json) => (isObject(json) ? new Map(Object.entries(json)) : json),
    z.map(z.string(), value, 'expected object'),
  );
}
