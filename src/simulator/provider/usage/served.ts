import type { CacheSplit } from '../cache/prompt.ts';

/** What a request truly took, whatever the provider tells of it. */
export interface ServedTokens {
  readonly split: CacheSplit;
  /** What the model wrote, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Tokens of the request, whatever became of it. */
  readonly sentTokens: number;
  /** Those that the model was given; fewer than were sent where it was cut silently. */
  readonly keptTokens: number;
  /** The request is the first of its turn. */
  readonly opensTurn: boolean;
}
