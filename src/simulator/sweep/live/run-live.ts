import type { SweepPlan } from '../plan/plan.ts';
import { createInbox } from '../pool/inbox.ts';
import { createTaskContext } from '../run/task-context.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import type { RunPlanOptions } from '../run-plan.ts';
import type { LiveCells } from './live-cells.ts';
import { type LiveContext, startLiveTask } from './run-live-task.ts';

/** What runs that ask real models need besides their tasks. */
export interface RunLiveOptions extends Pick<RunPlanOptions, 'cacheFolder' | 'signal'> {
  readonly live: LiveCells;
}

interface LiveTaker {
  readonly context: LiveContext;
  readonly put: (run: FinishedRun) => void;
}

/**
 * The rows of tasks that ask real models, as they are finished, several tasks at once in the calling thread: what
 * limits requests and money sees all of them. Rejects where nobody can be asked; what is on its way is called off.
 */
export async function* runLive(
  plan: SweepPlan,
  tasks: Iterator<SweepTask, unknown>,
  { live, cacheFolder, signal }: RunLiveOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const first = tasks.next();
  if (first.done) return;
  const stop = new AbortController();
  const until = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const cells = plan.cells.filter((cell) => live.isLive(cell));
  const opened = await createTaskContext(cells, {
    cacheFolder,
    signal: until,
    find: (name) => live.find(name),
  });
  const context = { ...opened, firstSeed: live.firstSeed };
  const inbox = createInbox<FinishedRun>();
  const takers = Array.from({ length: live.tasksAtOnce }, (_, taker) =>
    runAll(taker === 0 ? first.value : undefined, tasks, { context, put: (run) => inbox.put(run) }),
  );
  const over = Promise.all(takers).then(
    () => inbox.close(),
    (error: unknown) => {
      if (signal?.aborted) inbox.close();
      else inbox.fail(error);
    },
  );
  try {
    yield* inbox.items();
  } finally {
    stop.abort();
    await over;
    opened.save();
  }
}

async function runAll(
  first: SweepTask | undefined,
  tasks: Iterator<SweepTask, unknown>,
  { context, put }: LiveTaker,
): Promise<void> {
  let task = first ?? nextOf(tasks);
  while (task !== undefined && !context.signal?.aborted) {
    await Promise.all(startLiveTask(task, context).map(async (run) => put(await run)));
    task = nextOf(tasks);
  }
}

function nextOf(tasks: Iterator<SweepTask, unknown>): SweepTask | undefined {
  const next = tasks.next();
  return next.done ? undefined : next.value;
}
