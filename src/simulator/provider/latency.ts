/** Estimates the latency of a request from published speeds. */

import { MS_PER_SECOND } from '../lib/units.ts';
import type { BilledTokens } from './bill.ts';

/** How fast a provider answers. */
export interface LatencyRates {
  /** What passes before the first token, whatever the size of the request. */
  readonly firstTokenMs: number;
  /** Tokens a second of input that is not cached; written ones too. */
  readonly prefillTokensPerSecond: number;
  /** Tokens a second of input that is cached. */
  readonly cachedTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
  /** Rates that stand in for figures that nobody published. */
  readonly estimated: readonly RateName[];
}

/** One of the rates. */
export type RateName = Exclude<keyof LatencyRates, 'estimated'>;

/**
 * The residual time to the first token and the median decode speed of TraceLab (UW; 357,161 steps of
 * coding agents). It tells no prefill speed: those two are stand-ins of a plausible size.
 */
export const DEFAULT_LATENCY: LatencyRates = {
  firstTokenMs: 3_100,
  prefillTokensPerSecond: 5_000,
  cachedTokensPerSecond: 100_000,
  decodeTokensPerSecond: 40.7,
  estimated: ['prefillTokensPerSecond', 'cachedTokensPerSecond'],
};

/** How long a request takes from its start to the end of its answer, in whole ms. */
export function latencyMs(
  { split, outputTokens }: BilledTokens,
  rates: LatencyRates = DEFAULT_LATENCY,
): number {
  const seconds =
    (split.freshTokens + split.writeTokens) / rates.prefillTokensPerSecond +
    split.readTokens / rates.cachedTokensPerSecond +
    outputTokens / rates.decodeTokensPerSecond;
  return Math.round(rates.firstTokenMs + seconds * MS_PER_SECOND);
}
