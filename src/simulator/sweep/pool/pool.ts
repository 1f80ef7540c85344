import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { Cell } from '../grid/cell.ts';
import { cellOf, toUnrunLine } from '../run/run-task.ts';
import { byId, type CellsById, type FinishedRun, type SweepTask } from '../run/task.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';

/** What a pool works on. */
export interface PoolOptions {
  readonly cells: readonly Cell[];
  /** Session by session; taken as workers have nothing to do. */
  readonly tasks: Iterator<SweepTask, unknown>;
  readonly jobs: number;
  /** Folder of token counts that all threads use. */
  readonly cacheFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs leave much behind at once; with less room for it, a tenth of the time goes into clearing up. */
const YOUNG_MB = 96;

/** What all workers of a pool share. */
interface Hall extends PoolOptions {
  readonly dispatcher: Dispatcher;
  readonly cellsById: CellsById;
  readonly inbox: Inbox<FinishedRun>;
  readonly workers: Set<Worker>;
}

/** Whether this module runs as it was built; sources do not load in a worker. */
export const CAN_START_WORKERS = !import.meta.url.endsWith('.ts');

/**
 * The rows of all tasks as they are finished, from several threads. A thread that breaks costs the rows
 * that its task still owed: they say so, and another thread goes on.
 */
export async function* runInPool(options: PoolOptions): AsyncGenerator<FinishedRun, void, void> {
  const hall: Hall = {
    ...options,
    dispatcher: createDispatcher(options.tasks),
    cellsById: byId(options.cells),
    inbox: createInbox<FinishedRun>(),
    workers: new Set(),
  };
  const stop = () => hall.inbox.close();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    if (options.signal?.aborted) return;
    for (let seat = 0; seat < options.jobs; seat++) startWorker(hall, seat);
    yield* hall.inbox.items();
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await Promise.all([...hall.workers].map((worker) => worker.terminate()));
  }
}

/** What a worker has in hand. */
interface Desk {
  readonly seat: number;
  task: SweepTask | undefined;
  /** Rows that came; they come in the order of the runs. */
  rows: number;
}

/** Who comes after a worker that broke takes its seat, with what is left there. */
function startWorker(hall: Hall, seat: number, first?: SweepTask): void {
  const setup: WorkerSetup = { cells: hall.cells, cacheFolder: hall.cacheFolder };
  const send = (message: ToWorker) => worker.postMessage(message, []);
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const desk: Desk = { seat, task: undefined, rows: 0 };
  let following = first;
  hall.workers.add(worker);
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'row') {
      desk.rows += 1;
      hall.inbox.put({ place: message.place, line: message.line });
      return;
    }
    desk.task = following ?? hall.dispatcher.next(seat);
    desk.rows = 0;
    following = undefined;
    send(desk.task === undefined ? { type: 'end' } : { type: 'task', task: desk.task });
  });
  worker.on('exit', () => leave(worker, hall));
  worker.on('error', (error) => replace(hall, desk, error));
}

function leave(worker: Worker, { workers, inbox }: Hall): void {
  workers.delete(worker);
  if (workers.size === 0) inbox.close();
}

/** Another worker goes on behind the run that broke this one. */
function replace(hall: Hall, desk: Desk, error: unknown): void {
  const [broken, ...rest] = desk.task?.runs.slice(desk.rows) ?? [];
  if (desk.task === undefined || broken === undefined) return hall.inbox.fail(error);
  const reason = `the worker broke: ${messageOf(error)}`;
  const at = { cell: cellOf(broken, hall.cellsById), run: broken };
  const line = toUnrunLine(desk.task.session, at, { state: 'failed', reason });
  hall.inbox.put({ place: broken.place, line });
  // Before the broken one has left, so that the pool is never empty.
  startWorker(hall, desk.seat, rest.length === 0 ? undefined : { ...desk.task, runs: rest });
}
