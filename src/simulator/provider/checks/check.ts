import type { ModelContent, ModelMessage } from '../../../engine/index.ts';

/** One message of a request, the system prompt too. */
export interface RequestMessage {
  readonly role: 'system' | ModelMessage['role'];
  readonly content: readonly ModelContent[];
}

/** A check on its way through one request. What it finds is words that follow a message's number. */
export interface CheckRun {
  /** What is wrong with the next message, after those before it. */
  next(message: RequestMessage): string | undefined;
  /** What is wrong with a request that has no more messages; further ones may still follow. */
  end?(): string | undefined;
  /** Takes back the newest message, in a request without a fault. */
  back?(message: RequestMessage): void;
  /** Whether nothing is left open that the next message has to answer; absent where nothing ever is. */
  isSettled?(): boolean;
}

/** What a provider demands of the form of a request. */
export interface RequestCheck {
  readonly describes: string;
  readonly source: string;
  /**
   * What it looks at together: single messages, exchanges of them up to where all is settled, how a request begins, the
   * ids in it, or the whole request. Exchanges that pass by themselves pass wherever all is settled before them.
   */
  readonly scope: 'message' | 'exchange' | 'opening' | 'ids' | 'request';
  start(): CheckRun;
}
