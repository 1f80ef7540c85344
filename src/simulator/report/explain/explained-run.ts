import type { RunStory } from '../../metrics/explain.ts';
import type { Origin } from '../origin.ts';

/** A run told step by step, and what its numbers rest on. */
export interface ExplainedRun extends RunStory {
  readonly origin: Origin;
}
