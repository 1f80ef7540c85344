import type { Message } from '../message.ts';

/** What the shell sends to a summarizer. No tools go with it. */
export interface SummaryRequest {
  /** The summary agent's system prompt. */
  readonly system: string;
  /** The head: what the summary replaces, as the policy shows it to the summarizer. */
  readonly messages: readonly Message[];
  /** The instruction that stands after the head. */
  readonly prompt: string;
  /** Longest answer in tokens; absent where the policy sets none. */
  readonly outputCapTokens?: number;
  /** `provider/model` that is to answer; absent means the session's own. */
  readonly model?: string;
}
