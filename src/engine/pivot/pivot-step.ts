import type { EngineEvent, LoopInput, LoopState, Summarising, SummaryRequest } from '../state.ts';

/** What the summarizer answered. */
export type SummaryEnd = LoopInput & { readonly type: 'summary-finished' | 'summary-failed' };
/** Why it did not. */
export type SummaryFailure = SummaryEnd & { readonly type: 'summary-failed' };

/** An answer worked off: another request, or the end of the attempt. */
export type PivotStep =
  | {
      readonly state: 'asks-again';
      readonly phase: Summarising;
      readonly request: SummaryRequest;
      readonly event: EngineEvent;
    }
  | {
      readonly state: 'compacted';
      readonly next: LoopState;
      readonly event: EngineEvent;
      /** Whether the turn goes on although nothing was said to the model. */
      readonly goesOn: boolean;
    }
  | { readonly state: 'failed'; readonly next: LoopState; readonly event: EngineEvent };
