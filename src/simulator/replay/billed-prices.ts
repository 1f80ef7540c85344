import type { BilledPrices, RequestPrices } from '../events.ts';
import { writePricePicoUsd } from '../provider/bill.ts';
import type { CacheRules } from '../provider/cache/rules.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { TokenPrices } from '../provider/prices.ts';

/** The prices that a model's requests are billed with, by what its provider caches; absent where none are known. */
export function billedPrices({ prices, cache }: ModelProfile): BilledPrices | undefined {
  if (prices === undefined) return undefined;
  const tiers = prices.tiers.map((tier) => ({
    overTokens: tier.overTokens,
    ...requestPrices(tier, cache),
  }));
  return { ...requestPrices(prices, cache), ...(tiers.length > 0 && { tiers }) };
}

function requestPrices(prices: TokenPrices, cache: CacheRules): RequestPrices {
  const { inputPicoUsd, outputPicoUsd, cacheReadPicoUsd } = prices;
  const written = writePricePicoUsd(prices, cache) ?? inputPicoUsd;
  return {
    inputPicoUsd,
    outputPicoUsd,
    cacheReadPicoUsd: cache.kind === 'none' ? inputPicoUsd : (cacheReadPicoUsd ?? inputPicoUsd),
    cacheWritePicoUsd: cache.billsWrites ? written : inputPicoUsd,
  };
}
