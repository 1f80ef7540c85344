import type { RunEvent } from '../../events.ts';
import type { StandingItem } from '../../replay/references/reference.ts';
import { type RunOptions, runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { createStoryTeller, type RunStory } from './story.ts';

/** Replays a trace and tells what was decided at each step, and why. */
export function explainRun(trace: Trace, options: RunOptions): RunStory {
  const teller = createStoryTeller(options.policy);
  const events = runTrace(trace, { ...options, onTransition: teller.onTransition });
  let gone: readonly StandingItem[] = [];
  for (const event of events) {
    teller.onEvent(event);
    if (event.type === 'standing' && event.at === 'run-end') gone = findGone(trace, event);
  }
  return { ...teller.tell(), gone };
}

function findGone(
  trace: Trace,
  { goneConstraints, gonePaths }: RunEvent & { readonly type: 'standing' },
): readonly StandingItem[] {
  const ids = new Set([...goneConstraints, ...gonePaths]);
  return trace.references().standing.items.filter(({ id }) => ids.has(id));
}
