import type { Limits } from '../engine/index.ts';

/**
 * The most that a provider takes by its limits, in tokens: its context window, or its cap on input where that is less; 0
 * where neither is known. Some rows of models.dev have a cap above the window, of which one must be wrong.
 */
export function windowTokensOf({ contextTokens, inputTokens = 0 }: Limits): number {
  const known = [contextTokens, inputTokens].filter((tokens) => tokens > 0);
  return known.length === 0 ? 0 : Math.min(...known);
}
