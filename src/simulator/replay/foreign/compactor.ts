import type { Limits, ModelMessage, Usage } from '../../../engine/index.ts';

/** What a compactor is shown before each request. */
export interface CompactorInput {
  /** The whole conversation as the last call left it, with what has been added since. */
  readonly messages: readonly ModelMessage[];
  /** Of the model that is asked next; a context of 0 tokens is without limit. */
  readonly limits: Limits;
  /** Tokens of the newest step as the provider reported them; absent before the first, or where it reports none. */
  readonly usage?: Usage;
  /** What the provider said when it refused the request for its size; absent otherwise. */
  readonly refused?: string;
}

/**
 * Somebody's own compaction: it is shown a conversation before each request and gives what is to be sent instead, or
 * the same. What it is shown is not to be changed.
 */
export type Compactor = (
  input: CompactorInput,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>;
