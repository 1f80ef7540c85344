import type { Limits } from '../../../engine/index.ts';

/**
 * A model's limits as they are with another window. In a smaller one the caps on input and output shrink with
 * it: a window of 16,000 tokens with an answer of 64,000 is no model at all. In a larger one they stay.
 */
export function scaleLimits(limits: Limits, contextTokens: number): Limits {
  const share = limits.contextTokens === 0 ? 1 : contextTokens / limits.contextTokens;
  // A limit of 0 would be none.
  const scaled = (tokens: number) => (share < 1 ? Math.max(1, Math.floor(tokens * share)) : tokens);
  const { inputTokens, outputTokens } = limits;
  return {
    contextTokens,
    ...(inputTokens !== undefined && { inputTokens: scaled(inputTokens) }),
    ...(outputTokens !== undefined && { outputTokens: scaled(outputTokens) }),
  };
}
