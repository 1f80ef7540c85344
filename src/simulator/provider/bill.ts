import { MS_PER_SECOND, PICO_PER_NANO } from '../lib/units.ts';
import type { CacheRules } from './cache-rules.ts';
import { type Prices, pricesFor, type TokenPrices } from './prices.ts';
import type { CacheSplit } from './prompt.ts';

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

/** Whole nano-dollars apart from the rest, so that no product grows past what a number holds exactly. */
function toNanoUsd(tokens: number, picoUsd: number): number {
  const restPicoUsd = picoUsd % PICO_PER_NANO;
  const wholeNanoUsd = (picoUsd - restPicoUsd) / PICO_PER_NANO;
  return tokens * wholeNanoUsd + Math.round((tokens * restPicoUsd) / PICO_PER_NANO);
}
