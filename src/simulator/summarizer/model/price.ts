import type { Usage } from '../../../engine/index.ts';
import { billRequest } from '../../provider/bill.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';

/** What a request may come to. */
export interface RequestSize {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const NOTHING = { readTokens: 0, writeTokens: 0, freshTokens: 0, lostTokens: 0, isCold: false };

/** What a call cost by list prices; unknown where the prices or the usage are. */
export function costOf(
  profile: ModelProfile | undefined,
  usage: Usage | undefined,
): number | undefined {
  if (profile?.prices === undefined || usage === undefined) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = usage;
  const split = { ...NOTHING, readTokens: cacheRead, writeTokens: cacheWrite, freshTokens: input };
  const billed = { split, outputTokens: output + reasoning };
  return billRequest(billed, profile.prices, profile.cache).totalNanoUsd;
}

/** The most that a request can cost: all of its input fresh, or all of it written to the cache. */
export function worstCostOf(
  profile: ModelProfile | undefined,
  { inputTokens, outputTokens }: RequestSize,
): number | undefined {
  if (profile?.prices === undefined) return undefined;
  const { prices, cache } = profile;
  const costs = [{ freshTokens: inputTokens }, { writeTokens: inputTokens }].map((input) =>
    billRequest({ split: { ...NOTHING, ...input }, outputTokens }, prices, cache),
  );
  return Math.max(...costs.map(({ totalNanoUsd }) => totalNanoUsd));
}
