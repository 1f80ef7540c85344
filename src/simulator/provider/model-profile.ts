import type { Limits } from '../../engine/index.ts';
import type { CatalogModel } from './catalog-file.ts';

/** What one model of one provider accepts and costs. */
export interface ModelProfile {
  /** `provider/model`. */
  readonly id: string;
  readonly name: string;
  /** A context of 0 tokens where the catalog has no limits. */
  readonly limits: Limits;
  /** Absent when unknown. */
  readonly prices?: Prices;
}

/**
 * List prices of one token in whole nano-dollars, of which a dollar per million tokens has 1,000.
 * What comes to no whole number is rounded to the nearest, half up.
 */
export interface Prices {
  readonly inputNanoUsd: number;
  readonly outputNanoUsd: number;
  /** Absent when unknown, which is not free. */
  readonly cacheReadNanoUsd?: number;
  /** Absent when unknown, which is not free. */
  readonly cacheWriteNanoUsd?: number;
}

const UNKNOWN_LIMITS: Limits = { contextTokens: 0 };

const NANO_USD_PER_TOKEN = 1_000;

/** The profile of a model as a catalog file has it. */
export function toModelProfile(id: string, { name, limit, cost }: CatalogModel): ModelProfile {
  return {
    id,
    name: name ?? id,
    limits: limit ? toLimits(limit) : UNKNOWN_LIMITS,
    ...(cost && { prices: toPrices(cost) }),
  };
}

function toLimits({ context, input, output }: NonNullable<CatalogModel['limit']>): Limits {
  return {
    contextTokens: context,
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
  };
}

function toPrices(cost: NonNullable<CatalogModel['cost']>): Prices {
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = cost;
  return {
    inputNanoUsd: toNanoUsd(input),
    outputNanoUsd: toNanoUsd(output),
    ...(cacheRead !== undefined && { cacheReadNanoUsd: toNanoUsd(cacheRead) }),
    ...(cacheWrite !== undefined && { cacheWriteNanoUsd: toNanoUsd(cacheWrite) }),
  };
}

function toNanoUsd(usdPerMillionTokens: number): number {
  return Math.round(usdPerMillionTokens * NANO_USD_PER_TOKEN);
}
