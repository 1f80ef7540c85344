import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { Cell } from '../grid/cell.ts';
import { cellOf, toUnrunLine } from '../run/run-task.ts';
import { byId, type CellsById, type FinishedRun, type SweepTask } from '../run/task.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';

/** What threads are started with. */
export interface PoolOptions {
  readonly cells: readonly Cell[];
  readonly jobs: number;
  /** Folder of token counts that all threads use. */
  readonly cacheFolder?: string | undefined;
}

/** What a pool works on. */
export interface PoolWork {
  /** Session by session; taken as workers have nothing to do. */
  readonly tasks: Iterator<SweepTask, unknown>;
  readonly signal?: AbortSignal | undefined;
}

/** Several threads, which make themselves ready before there is anything to do. */
export interface Pool {
  /**
   * The rows of all tasks as they are finished; asked for once. A thread that breaks costs the rows that its
   * task still owed: they say so, and another thread goes on.
   */
  run(work: PoolWork): AsyncGenerator<FinishedRun, void, void>;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
}

/** Runs leave much behind at once; with less room for it, a tenth of the time goes into clearing up. */
const YOUNG_MB = 96;

/** What all workers of a pool share. */
interface Hall extends PoolOptions {
  readonly dispatcher: Promise<Dispatcher>;
  readonly open: (dispatcher: Dispatcher) => void;
  readonly cellsById: CellsById;
  readonly inbox: Inbox<readonly FinishedRun[]>;
  readonly workers: Set<Worker>;
}

/** Whether this module runs as it was built; sources do not load in a worker. */
export const CAN_START_WORKERS = !import.meta.url.endsWith('.ts');

/** A pool for tasks of these cells; none where the calling thread is enough, or no other can be started. */
export function openPool(options: PoolOptions): Pool | undefined {
  if (options.jobs === 1 || options.cells.length === 0 || !CAN_START_WORKERS) return undefined;
  const hall = createHall(options);
  for (let seat = 0; seat < options.jobs; seat++) startWorker(hall, seat);
  const close = async () => {
    await Promise.all([...hall.workers].map((worker) => worker.terminate()));
  };
  return { run: (work) => runIn(hall, work), close };
}

function createHall(options: PoolOptions): Hall {
  const gate: { open?: Hall['open'] } = {};
  const dispatcher = new Promise<Dispatcher>((resolve) => {
    gate.open = resolve;
  });
  const cellsById = byId(options.cells);
  return {
    ...options,
    dispatcher,
    open: (ready) => gate.open?.(ready),
    cellsById,
    inbox: createInbox<readonly FinishedRun[]>(),
    workers: new Set(),
  };
}

async function* runIn(
  hall: Hall,
  { tasks, signal }: PoolWork,
): AsyncGenerator<FinishedRun, void, void> {
  const stop = () => hall.inbox.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) return;
    hall.open(createDispatcher(tasks));
    for await (const rows of hall.inbox.items()) yield* rows;
  } finally {
    signal?.removeEventListener('abort', stop);
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
  const goOn = (dispatcher: Dispatcher) => {
    desk.task = following ?? dispatcher.next(seat);
    desk.rows = 0;
    following = undefined;
    send(desk.task === undefined ? { type: 'end' } : { type: 'task', task: desk.task });
  };
  worker.on('message', (message: FromWorker) => {
    if (message.type !== 'rows') return void hall.dispatcher.then(goOn);
    desk.rows += message.rows.length;
    hall.inbox.put(message.rows);
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
  hall.inbox.put([{ place: broken.place, line }]);
  // Before the broken one has left, so that the pool is never empty.
  startWorker(hall, desk.seat, rest.length === 0 ? undefined : { ...desk.task, runs: rest });
}
