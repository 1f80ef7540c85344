import { PICO_PER_NANO } from '../lib/units.ts';
import type { CacheSplit } from './cache/prompt.ts';
import type { CacheRules } from './cache/rules.ts';
import { type Prices, pricesFor, type TokenPrices } from './prices.ts';

/** What a request took of a model. */
export interface BilledTokens {
  readonly split: CacheSplit;
  /** What the model wrote, reasoning included. */
  readonly outputTokens: number;
}

/** What one request costs, in whole nano-dollars; each line is rounded once, half up. */
export interface Bill {
  readonly freshNanoUsd: number;
  readonly cacheReadNanoUsd: number;
  readonly cacheWriteNanoUsd: number;
  readonly outputNanoUsd: number;
  /** The sum of the lines. */
  readonly totalNanoUsd: number;
  /** Prices that are unknown and were needed; the price of fresh input stands in. */
  readonly assumed: readonly AssumedPrice[];
}

/** A price that the bill had to do without. */
export type AssumedPrice = 'cache-read-price' | 'cache-write-price';

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
    assumed: assumedPrices(split, cacheReadPicoUsd, cacheWritePicoUsd),
  };
}

/** What a written token costs: as listed, else as the rules multiply the price of fresh input; absent where unknown. */
export function writePricePicoUsd(
  { inputPicoUsd, cacheWritePicoUsd }: TokenPrices,
  { writeMultiplier, listsOtherWrites = false }: CacheRules,
): number | undefined {
  if (cacheWritePicoUsd !== undefined && !listsOtherWrites) return cacheWritePicoUsd;
  return writeMultiplier === undefined ? undefined : Math.round(inputPicoUsd * writeMultiplier);
}

function assumedPrices(
  { readTokens, writeTokens }: CacheSplit,
  readPicoUsd: number | undefined,
  writePicoUsd: number | undefined,
): readonly AssumedPrice[] {
  const assumed: AssumedPrice[] = [];
  if (readTokens > 0 && readPicoUsd === undefined) assumed.push('cache-read-price');
  if (writeTokens > 0 && writePicoUsd === undefined) assumed.push('cache-write-price');
  return assumed;
}

/** Whole nano-dollars apart from the rest, so that no product grows past what a number holds exactly. */
function toNanoUsd(tokens: number, picoUsd: number): number {
  const restPicoUsd = picoUsd % PICO_PER_NANO;
  const wholeNanoUsd = (picoUsd - restPicoUsd) / PICO_PER_NANO;
  return tokens * wholeNanoUsd + Math.round((tokens * restPicoUsd) / PICO_PER_NANO);
}
