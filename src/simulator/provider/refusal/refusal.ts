/** How a provider refuses a request that is too large. */

import type { ProviderError } from '../../../engine/index.ts';

/** The sizes that a refusal tells of. */
export interface RefusedSize {
  readonly requestTokens: number;
  readonly windowTokens: number;
}

/** What a provider does with a request that is larger than the window. */
export interface RefusalRules {
  readonly describes: string;
  readonly source: string;
  /** It refuses, or it cuts the request without a word. */
  readonly kind: 'refuses' | 'truncates';
  /** The error as its client reports it; for `refuses`. */
  readonly errorFor: (size: RefusedSize) => ProviderError;
  /** What is left of the window after a cut; for `truncates`. */
  readonly keptTokens: (size: RefusedSize) => number;
}
