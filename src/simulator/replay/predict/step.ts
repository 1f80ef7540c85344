/** A number as predicted and as recorded. */
export interface Compared {
  readonly predicted: number;
  readonly recorded: number;
}

/** One recorded step beside what was predicted of it; absent is what could not be. */
export interface PredictedStep {
  readonly messageId: string;
  /** From the recorded step before. */
  readonly contextNext?: Compared;
  /** From the last anchor. */
  readonly contextFree?: Compared;
  /** Part of the input that is read from the cache, from the recorded step before. */
  readonly cacheShare?: Compared;
  /** Of everything that is sent, from the recorded step before, in nano-dollars. */
  readonly inputCost?: Compared;
  /** What happened that nothing in the recording foretells. */
  readonly surprise?: Surprise;
}

/**
 * What no rule can foretell: the first step after the agent replaced its history or cleared outputs, or of another
 * model, a context that shrank and nothing says why, and a cached prefix that was lost within its time to live.
 */
export type Surprise =
  | 'after-compaction'
  | 'after-clearing'
  | 'other-model'
  | 'context-shrank'
  | 'cache-lost';
