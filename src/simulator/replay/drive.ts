import type { RunEvent } from '../events.ts';
import type { Summarizer, SummarizerTools } from '../summarizer/summarizer.ts';
import type { Simulation } from './running.ts';

/** Runs a simulation to its end, answering its requests at once. */
export function* driveSync(
  simulation: Simulation,
  summarizer: Summarizer,
  tools: SummarizerTools,
): Generator<RunEvent, void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      next = simulation.next(summarizer.summarise(next.value.request, tools));
    } else {
      yield next.value;
      next = simulation.next();
    }
  }
}
