import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { FromWorker, SentTask, ToWorker, WorkerSetup } from '../pool/messages.ts';
import { CAN_START_WORKERS } from '../pool/pool.ts';
import { cellOf, toUnrunLine } from '../run/row.ts';
import { runTask } from '../run/run-task.ts';
import { createTaskContext, refusalOf } from '../run/task-context.ts';
import { byId, type FinishedRun, type SweepTask } from '../run/task.ts';

/** What became of a task: a line for each run, or why none of them was begun. */
export type TaskOutcome =
  | { readonly state: 'ran'; readonly lines: readonly string[] }
  | { readonly state: 'refused'; readonly reason: string };

/** Threads that run the tasks of one sweep, each one at a time. */
export interface Crew {
  /** With the session as a text where the queue has it; its file is read otherwise. */
  run(task: SweepTask, text?: string): Promise<TaskOutcome>;
  close(): Promise<void>;
}

/** How a thread came to the end of a task. */
type Ending =
  | { readonly state: 'idle' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'broken'; readonly error: unknown };

/** Takes rows as they are finished. */
type TakeRows = (rows: readonly FinishedRun[]) => void;

/** A thread, or the calling one where none can be started. */
interface TaskThread {
  run(sent: SentTask, onRows: TakeRows): Promise<Ending>;
  close(): Promise<void>;
}

/** A crew without a thread; it gets one for each task that it is given at once. */
export function createCrew(setup: WorkerSetup): Crew {
  const idle: TaskThread[] = [];
  const startTaskThread = CAN_START_WORKERS ? startThread : startHere;
  const cells = byId(setup.cells);
  return {
    run: async (task, text) => {
      const lines: string[] = [];
      while (lines.length < task.runs.length) {
        const thread = idle.pop() ?? (await startTaskThread(setup));
        const rest = { ...task, runs: task.runs.slice(lines.length) };
        const ending = await thread.run({ task: rest, text }, (rows) => {
          lines.push(...rows.map(({ line }) => line));
        });
        if (ending.state !== 'broken') idle.push(thread);
        if (ending.state === 'refused') return ending;
        const run = task.runs[lines.length];
        if (ending.state !== 'broken' || run === undefined) break;
        // The run that broke the thread costs its row; the next thread goes on behind it.
        const reason = `the worker broke: ${messageOf(ending.error)}`;
        const at = { cell: cellOf(run, cells), run };
        lines.push(toUnrunLine(task.session, at, { state: 'failed', reason }));
      }
      return { state: 'ran', lines };
    },
    close: async () => {
      await Promise.all(idle.splice(0).map((thread) => thread.close()));
    },
  };
}

async function startThread(setup: WorkerSetup): Promise<TaskThread> {
  const worker = new Worker(new URL('../pool/worker.js', import.meta.url), { workerData: setup });
  const send = (message: ToWorker) => worker.postMessage(message, []);
  const listening: { take?: TakeRows; end?: (ending: Ending) => void } = {};
  worker.on('error', (error) => listening.end?.({ state: 'broken', error }));
  worker.on('exit', (code) => {
    listening.end?.({ state: 'broken', error: new Error(`it ended with ${code}`) });
  });
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'rows') listening.take?.(message.rows);
    else
      listening.end?.(
        message.type === 'idle' ? { state: 'idle' } : { ...message, state: 'refused' },
      );
  });
  const ended = () =>
    new Promise<Ending>((resolve) => {
      listening.end = resolve;
    });
  const ready = await ended();
  if (ready.state === 'broken') throw ready.error;
  return {
    run: (sent, take) => {
      listening.take = take;
      const over = ended();
      send({ type: 'task', ...sent });
      return over;
    },
    close: () =>
      new Promise((resolve) => {
        worker.on('exit', () => resolve());
        send({ type: 'end' });
      }),
  };
}

/** From sources, which do not load in a thread. */
async function startHere({ cells, ...options }: WorkerSetup): Promise<TaskThread> {
  const context = await createTaskContext(cells, options);
  return {
    run: async ({ task, text }, onRows) => {
      if (text !== undefined) context.give(task.session, text);
      const reason = refusalOf(task, context);
      if (reason !== undefined) return { state: 'refused', reason };
      for await (const rows of runTask(task, context)) onRows(rows);
      return { state: 'idle' };
    },
    close: async () => context.save(),
  };
}
