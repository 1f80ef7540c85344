import type { Policy } from '../../engine/index.ts';
import type { Billed, BilledPrices, RequestPrices } from '../events.ts';
import { billRequest, latencyMs, writePricePicoUsd } from '../provider/bill.ts';
import type { CacheRules } from '../provider/cache-rules.ts';
import { cacheForTtl, cacheOf, type ModelProfile } from '../provider/model-profile.ts';
import { createPrefixCache, type PrefixCache } from '../provider/prefix-cache.ts';
import type { TokenPrices } from '../provider/prices.ts';
import type { CacheSplit } from '../provider/prompt.ts';
import { createProvider, type ProviderRequest } from '../provider/provider.ts';
import {
  createReporter,
  createReportReader,
  dialects,
  type ServedTokens,
} from '../provider/usage.ts';
import type { CacheFate, Trace } from './trace.ts';

/** A provider as an agent uses it: replies, bills and reported usage. */
export type Service = ReturnType<typeof createService>;

/** A service, with an empty cache by default. */
export function createService(
  profile: ModelProfile,
  { reading }: Policy,
  {
    ownFaults,
    recordedCache,
    cache = createPrefixCache(profile.cache),
  }: Pick<Trace, 'ownFaults' | 'recordedCache'> & { readonly cache?: PrefixCache | undefined },
) {
  const provider = createProvider(profile, cache);
  const recordedTtlMs = cacheForTtl(
    { ...profile, cache: cacheOf(profile.behaviour) },
    recordedCache.ttlMs,
  ).ttlMs;
  const dialect = dialects[profile.behaviour.dialect];
  const reporter = createReporter(dialect);
  const read = createReportReader(dialect, reading.usage);
  return {
    profile,
    cache,
    windowTokens: provider.windowTokens,
    checks: profile.behaviour.checks.filter((name) => !ownFaults.includes(name)),
    send: (request: ProviderRequest, startMs: number) => provider.send(request, startMs),
    follow: (fate: CacheFate, startMs: number) => {
      if (fate !== 'outlived') cache.keepUpTo(fate.keptTokens);
      else if (profile.cache.ttlMs === recordedTtlMs) cache.refresh(startMs);
    },
    bill: (split: CacheSplit, outputTokens: number) => billOf(profile, split, outputTokens),
    /** The usage that the policy stores of a request; nothing where the provider reports none. */
    report: (served: ServedTokens) => {
      const report = reporter.report(served);
      return report === undefined ? undefined : read(report);
    },
  };
}

/** The prices that a model's requests are billed with; absent where none are known. */
export function billedPrices({ prices, cache }: ModelProfile): BilledPrices | undefined {
  if (prices === undefined) return undefined;
  const tiers = prices.tiers.map((tier) => ({
    overTokens: tier.overTokens,
    ...requestPrices(tier, cache),
  }));
  return { ...requestPrices(prices, cache), ...(tiers.length > 0 && { tiers }) };
}

/** The bill of a request at a model's list prices; without a cost where none are known. */
export function billOf(
  { prices, cache }: ModelProfile,
  split: Pick<CacheSplit, 'readTokens' | 'writeTokens' | 'freshTokens'>,
  outputTokens: number,
): Billed {
  const billed = { split, outputTokens };
  return {
    cacheReadTokens: split.readTokens,
    cacheWriteTokens: split.writeTokens,
    freshTokens: split.freshTokens,
    costNanoUsd: prices && billRequest(billed, prices, cache).totalNanoUsd,
    latencyMs: latencyMs(billed),
  };
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
