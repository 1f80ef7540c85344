/** How a policy believes text to weigh. */
export interface EstimatorOptions {
  readonly charsPerToken: number;
  readonly rounding: 'round' | 'ceil';
  /** What an image weighs where it is not told by its bytes; absent means 1,500, as in OpenCode 2.0. */
  readonly imageTokens?: number;
  /** What a document weighs; absent means 2,000, as in OpenCode 2.0. */
  readonly documentTokens?: number;
}

/** Tokens that a policy believes a text of that many UTF-16 units to have. Halves round up. */
export function estimateTokens(length: number, options: EstimatorOptions): number {
  return Math[options.rounding](length / options.charsPerToken);
}
