import { HarnessError } from '../simulator/errors.ts';
import type { SweepPlan } from '../simulator/sweep/plan/plan.ts';
import { parseQueueUrl } from '../simulator/sweep/queue/connection.ts';
import { queueNameOf } from '../simulator/sweep/queue/queue-name.ts';
import { runQueued } from '../simulator/sweep/queue/run-queued.ts';
import type { FinishedRun } from '../simulator/sweep/run/task.ts';
import { runPlan, type RunPlanOptions } from '../simulator/sweep/run-plan.ts';
import type { SweepHeader } from '../simulator/sweep/store/header.ts';
import type { CliIo } from './io.ts';
import { printNote } from './output.ts';

/** What the command line says of a queue, as text. */
interface QueueOptions {
  readonly queue?: string | undefined;
  readonly out?: string | undefined;
}

/** The address of the queue, where one is named. Throws if it is none, or if nothing could be gone on with. */
export function checkQueue({ queue, out }: QueueOptions): string | undefined {
  if (queue === undefined) return undefined;
  if (out === undefined) {
    throw new HarnessError(
      'BAD_OPTION',
      "Expected '--out' with '--queue', for rows that are taken from a queue must lie somewhere.",
    );
  }
  return parseQueueUrl(queue);
}

/** The rows of a plan that are not there: from threads of this process, or from the workers of a queue. */
export function runSomewhere(
  { plan, header }: { readonly plan: SweepPlan; readonly header: SweepHeader },
  { queue: url, ...options }: RunPlanOptions & { readonly queue: string | undefined },
  io: CliIo,
): AsyncGenerator<FinishedRun, void, void> {
  if (url === undefined) return runPlan(plan, options);
  const note = (message: string) => printNote(io, message);
  const { version } = header;
  return runQueued(plan, { ...options, url, name: queueNameOf(header), version, note });
}
