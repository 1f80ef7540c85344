import { type RunOptions, runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { createStoryTeller, type RunStory } from './story.ts';

/** Replays a trace and tells what was decided at each step, and why. */
export function explainRun(trace: Trace, options: RunOptions): RunStory {
  const teller = createStoryTeller(options.policy);
  const events = runTrace(trace, { ...options, onTransition: teller.onTransition });
  for (const event of events) teller.onEvent(event);
  return teller.tell();
}
