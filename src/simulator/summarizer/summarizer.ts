import type { Message, SummaryRequest } from '../../engine/index.ts';

/** What came back from a summary request. */
export type SummaryAnswer =
  | { readonly state: 'finished'; readonly text: string; readonly finish: string }
  | { readonly state: 'failed'; readonly reason: string; readonly isOverflow: boolean };

/** What answers a summary request. */
export interface Summarizer {
  readonly name: string;
  /** Deterministic for the same request, and never throws for a well-typed one. */
  summarise(request: SummaryRequest, tools: SummarizerTools): SummaryAnswer;
}

/** What a summarizer may use besides the request. */
export interface SummarizerTools {
  readonly countTokens: (text: string) => number;
  readonly random: () => number;
}

/** Re-exported so that a summarizer needs one import for its port. */
export type { Message, SummaryRequest };
