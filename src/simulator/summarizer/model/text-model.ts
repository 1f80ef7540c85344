import type { Usage } from '../../../engine/index.ts';

/** One message of a text request. */
export interface TextMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** What a model is asked, all of it text. */
export interface TextRequest {
  readonly system: string;
  /** User and assistant take turns, and a user is the last. */
  readonly messages: readonly TextMessage[];
  /** Longest answer in tokens, thought included; absent leaves it to the provider. */
  readonly outputCapTokens?: number | undefined;
}

/** What a model answered. */
export interface TextReply {
  readonly text: string;
  readonly finish: string;
  readonly reasoningText?: string;
  /** Absent where the provider reported none. */
  readonly usage?: Usage;
  /** The model as its provider named it. */
  readonly model?: string;
  /** An ISO date. */
  readonly answeredAt?: string;
}

/** A model that is sent one request and answers it or not. */
export interface TextModel {
  /** `provider/model`. */
  readonly id: string;
  /** Loads what it needs, so that no request waits for that. */
  prepare(): Promise<void>;
  /** Rejects with whatever its client throws. Nothing is tried again. */
  ask(request: TextRequest, signal: AbortSignal): Promise<TextReply>;
}
