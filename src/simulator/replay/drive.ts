import type { RunEvent } from '../events.ts';
import type {
  AnySummarizer,
  AsyncTools,
  Summarizer,
  SummarizerTools,
} from '../summarizer/summarizer.ts';
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
      for (const event of next.value.events) yield event;
      next = simulation.next();
    }
  }
}

/** The same, waiting for each answer; an abort is thrown at the next request. */
export async function* driveAsync(
  simulation: Simulation,
  summarizer: AnySummarizer,
  tools: AsyncTools,
): AsyncGenerator<RunEvent, void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      tools.signal?.throwIfAborted();
      next = simulation.next(await summarizer.summarise(next.value.request, tools));
    } else {
      for (const event of next.value.events) yield event;
      next = simulation.next();
    }
  }
}
