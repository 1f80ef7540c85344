import * as z from 'zod';
import { Count, Tokens } from '../lib/expect.ts';
import { type Immutable, isObject } from '../lib/json.ts';
import { MS_PER_SECOND, PICO_PER_NANO } from '../lib/units.ts';
import type { CacheRules } from './behaviours.ts';
import type { CacheSplit } from './prompt.ts';

/** List prices of one token in whole pico-dollars (a dollar per million tokens is 1,000,000), rounded half up. */
export type TokenPrices = Omit<Prices, 'tiers'>;

/** The prices of all tokens of a request whose input is larger than a size. */
export type PriceTier = Immutable<z.infer<typeof TierSchema>>;

/** The prices of one model. */
export type Prices = Immutable<z.infer<typeof PricesSchema>>;

/** One model as a catalog file has it: limits in tokens, prices in dollars per million tokens. */
export type CatalogModel = z.infer<typeof CatalogModel>;

interface BilledTokens {
  readonly split: Pick<CacheSplit, 'readTokens' | 'writeTokens' | 'freshTokens'>;
  readonly outputTokens: number;
}

/** The bill of one request in whole nano-dollars; each line is rounded once, half up. */
export interface Bill {
  readonly freshNanoUsd: number;
  readonly cacheReadNanoUsd: number;
  readonly cacheWriteNanoUsd: number;
  readonly outputNanoUsd: number;
  readonly totalNanoUsd: number;
  /** Unknown prices that were needed, replaced by the price of fresh input. */
  readonly assumed: readonly ('cache-read-price' | 'cache-write-price')[];
}

/**
 * The residual time to the first token and the median decode speed of TraceLab (UW; 357,161 steps of coding agents). It has no
 * prefill speed: the rates of input are plausible assumptions.
 */
export const DEFAULT_LATENCY = {
  firstTokenMs: 3_100,
  /** Of input that is not cached; written ones too. */
  prefillTokensPerSecond: 5_000,
  cachedTokensPerSecond: 100_000,
  decodeTokensPerSecond: 40.7,
};

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

const PICO_USD_PER_TOKEN = 1_000_000;
const PICO_USD_PER_USD = 1_000_000_000_000;
const OVER_200K_TOKENS = 200_000;
const tokens = z.int().nonnegative();
const price = z.number().nonnegative();

const CatalogCost = z.object({
  input: price,
  output: price,
  cache_read: price.optional(),
  cache_write: price.optional(),
});

const CatalogModel = z.object({
  name: z.string().optional(),
  limit: z
    .object({ context: tokens, input: tokens.optional(), output: tokens.optional() })
    .optional(),
  cost: CatalogCost.extend({
    tiers: z
      .array(CatalogCost.extend({ tier: z.object({ type: z.string().optional(), size: tokens }) }))
      .optional(),
    context_over_200k: CatalogCost.optional(),
  }).optional(),
});

/** The shape of models.dev's `api.json`, by provider id; keys it does not know are left out. */
export const CatalogFile = mapOf(z.object({ models: mapOf(CatalogModel) }));

/** The prices of a model as a catalog file has them: tiers by the size of the context, other kinds are passed over. */
export function toPrices(cost: NonNullable<CatalogModel['cost']>): Prices {
  const { tiers: listed = [], context_over_200k: over200k } = cost;
  const tiers = listed
    .filter(({ tier: { type = 'context' } }) => type === 'context')
    .map(({ tier, ...own }) => ({ overTokens: tier.size, ...toTokenPrices(own) }));
  if (over200k !== undefined && !listed.some(({ tier }) => tier.size === OVER_200K_TOKENS))
    tiers.push({ overTokens: OVER_200K_TOKENS, ...toTokenPrices(over200k) });
  return {
    ...toTokenPrices(cost),
    tiers: tiers.toSorted((some, other) => some.overTokens - other.overTokens),
  };
}

/** The prices of a request with that much input, cached or not: of the largest tier that it exceeds. */
export function pricesFor<Each>(
  prices: Each & { readonly tiers?: readonly (Each & Pick<PriceTier, 'overTokens'>)[] | undefined },
  inputTokens: number,
): Each {
  let held: Each = prices;
  for (const tier of prices.tiers ?? []) if (inputTokens > tier.overTokens) held = tier;
  return held;
}

/** Dollars for the input of one request of that many tokens: read from the cache, and written anew; `null` where unknown. */
export function stepPriceAt(tokens: number, prices: Prices | undefined) {
  const {
    inputPicoUsd,
    cacheReadPicoUsd,
    cacheWritePicoUsd = inputPicoUsd,
  } = prices === undefined ? {} : pricesFor<Partial<TokenPrices>>(prices, tokens);
  const usdAt = (pico?: number) => (pico === undefined ? null : (tokens * pico) / PICO_USD_PER_USD);
  return { readUsd: usdAt(cacheReadPicoUsd), writeUsd: usdAt(cacheWritePicoUsd) };
}

/** The bill of a request: the size of its whole input decides which prices hold for all of it. */
export function billRequest(
  { split, outputTokens }: BilledTokens,
  prices: Prices,
  rules: CacheRules,
): Bill {
  const { readTokens, writeTokens, freshTokens } = split;
  const held = pricesFor<TokenPrices>(prices, readTokens + writeTokens + freshTokens);
  const { inputPicoUsd, cacheReadPicoUsd, outputPicoUsd } = held;
  const cacheWritePicoUsd = writePricePicoUsd(held, rules);
  const freshNanoUsd = toNanoUsd(freshTokens, inputPicoUsd);
  const cacheReadNanoUsd = toNanoUsd(readTokens, cacheReadPicoUsd ?? inputPicoUsd);
  const cacheWriteNanoUsd = toNanoUsd(writeTokens, cacheWritePicoUsd ?? inputPicoUsd);
  const outputNanoUsd = toNanoUsd(outputTokens, outputPicoUsd);
  return {
    freshNanoUsd,
    cacheReadNanoUsd,
    cacheWriteNanoUsd,
    outputNanoUsd,
    totalNanoUsd: freshNanoUsd + cacheReadNanoUsd + cacheWriteNanoUsd + outputNanoUsd,
    assumed: [
      ...(readTokens > 0 && cacheReadPicoUsd === undefined ? (['cache-read-price'] as const) : []),
      ...(writeTokens > 0 && cacheWritePicoUsd === undefined
        ? (['cache-write-price'] as const)
        : []),
    ],
  };
}

/** The price of a written token: as listed, else by the rule's multiple of fresh input; undefined where unknown. */
export function writePricePicoUsd(
  { inputPicoUsd, cacheWritePicoUsd }: TokenPrices,
  { writeMultiplier, listsOtherWrites = false }: CacheRules,
): number | undefined {
  if (cacheWritePicoUsd !== undefined && !listsOtherWrites) return cacheWritePicoUsd;
  return writeMultiplier === undefined ? undefined : Math.round(inputPicoUsd * writeMultiplier);
}

/** How long a request takes from its start to the end of its answer, in whole ms. */
export function latencyMs(
  { split, outputTokens }: BilledTokens,
  rates: typeof DEFAULT_LATENCY = DEFAULT_LATENCY,
): number {
  const seconds =
    (split.freshTokens + split.writeTokens) / rates.prefillTokensPerSecond +
    split.readTokens / rates.cachedTokensPerSecond +
    outputTokens / rates.decodeTokensPerSecond;
  return Math.round(rates.firstTokenMs + seconds * MS_PER_SECOND);
}

function toTokenPrices(cost: z.infer<typeof CatalogCost>): TokenPrices {
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

/** An object with keys from outside, as a map: there every key is like any other. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (json) => (isObject(json) ? new Map(Object.entries(json)) : json),
    z.map(z.string(), value, 'expected object'),
  );
}

/** Whole nano-dollars apart from the rest, so that no product grows past what a number holds exactly. */
function toNanoUsd(tokens: number, picoUsd: number): number {
  const restPicoUsd = picoUsd % PICO_PER_NANO;
  const wholeNanoUsd = (picoUsd - restPicoUsd) / PICO_PER_NANO;
  return tokens * wholeNanoUsd + Math.round((tokens * restPicoUsd) / PICO_PER_NANO);
}
