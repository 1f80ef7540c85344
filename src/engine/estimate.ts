/** How a policy believes text to weigh. */
export interface EstimatorOptions {
  readonly charsPerToken: number;
  readonly rounding: 'round' | 'ceil';
}

/** Tokens that a policy believes a text of that many UTF-16 units to have. Halves round up. */
export function estimateTokens(length: number, options: EstimatorOptions): number {
  return Math[options.rounding](length / options.charsPerToken);
}
