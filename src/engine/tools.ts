import type { CompletedPart, Part } from './message.ts';
import type { SummaryRequest } from './pivot/request.ts';
import type { PartUses } from './prune/eviction-orders.ts';

/** What a host may change about a compaction, as plugins of the released program do. */
export interface Hooks {
  /**
   * Called before a summary request goes out (`experimental.session.compacting`). `context` is added to the
   * instruction; `prompt` replaces it, and template and previous summary are then lost.
   */
  readonly compacting?: (request: SummaryRequest) => CompactingAnswer;
  /** Whether the continue text may be said (`experimental.compaction.autocontinue`). */
  readonly autoContinue?: () => boolean;
}

/** What a host adds to a summary request, or puts in the place of its instruction. */
export interface CompactingAnswer {
  readonly context?: readonly string[];
  readonly prompt?: string;
}

/** Cleared parts, and lists of parts with cleared ones, by what they were before. */
export interface ClearedForms {
  readonly parts: WeakMap<Part, CompletedPart>;
  readonly lists: WeakMap<readonly Part[], readonly Part[]>;
}

/** What a transition may use of the outside world: one moment, fresh ids, and the host's hooks. */
export interface Tools {
  /** The current time in ms. */
  readonly now: number;
  /** An id that no message or part has yet. */
  readonly newId: (prefix: string) => string;
  readonly hooks?: Hooks;
  /** Cleared parts that transitions made before, for a host that runs one recording many times; absent where each is made anew. */
  readonly cleared?: ClearedForms;
  /** When parts are used, for bounds and baselines; no released program knows it. */
  readonly uses?: PartUses | undefined;
}
