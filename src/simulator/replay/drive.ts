import type { RunEvent } from '../events.ts';
import type {
  AnySummarizer,
  AsyncTools,
  Summarizer,
  SummarizerTools,
} from '../summarizer/summarizer.ts';
import type { Simulation } from './running.ts';

/** Runs a simulation to its end, answering its requests at once; yields its events as they come, some at a time. */
export function* driveSync(
  simulation: Simulation,
  summarizer: Summarizer,
  tools: SummarizerTools,
): Generator<readonly RunEvent[], void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      next = simulation.next(summarizer.summarise(next.value.request, tools));
    } else {
      yield next.value.events;
      next = simulation.next();
    }
  }
}

/** Drives a simulation with a summarizer that may wait for its answers; an abort is thrown at the next request. */
export async function* driveAsync(
  simulation: Simulation,
  summarizer: AnySummarizer,
  tools: AsyncTools,
): AsyncGenerator<readonly RunEvent[], void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      tools.signal?.throwIfAborted();
      next = simulation.next(await summarizer.summarise(next.value.request, tools));
    } else {
      yield next.value.events;
      next = simulation.next();
    }
  }
}
