import { type EstimatorOptions } from './policy.ts';

/** Tokens that a policy believes a text of that many UTF-16 units to have. Halves round up. */
export function estimateTokens(length: number, options: EstimatorOptions): number {
  return Math[options.rounding](length / options.charsPerToken);
}
