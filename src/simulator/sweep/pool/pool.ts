import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { Cell } from '../grid/cell.ts';
import { cellOf, toUnrunLine } from '../run/row.ts';
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

/** What all workers of a pool share. */
interface PoolState extends PoolOptions {
  readonly dispatcher: Promise<Dispatcher>;
  readonly open: (dispatcher: Dispatcher) => void;
  readonly cellsById: CellsById;
  readonly inbox: Inbox<readonly FinishedRun[]>;
  readonly workers: Set<Worker>;
}

/** What a worker has in hand. */
interface WorkerSlot {
  readonly index: number;
  task: SweepTask | undefined;
  /** Rows that came; they come in the order of the runs. */
  rows: number;
}

/** Runs leave much behind at once; with less room for it, a tenth of the time goes into clearing up. */
const YOUNG_MB = 96;

/** Whether this module runs as it was built; sources do not load in a worker. */
export const CAN_START_WORKERS = !import.meta.url.endsWith('.ts');

/** A pool for tasks of these cells; none where the calling thread is enough, or no other can be started. */
export function openPool(options: PoolOptions): Pool | undefined {
  if (options.jobs === 1 || options.cells.length === 0 || !CAN_START_WORKERS) return undefined;
  const state = createPoolState(options);
  for (let index = 0; index < options.jobs; index++) startWorker(state, index);
  const close = async () => {
    await Promise.all([...state.workers].map((worker) => worker.terminate()));
  };
  return { run: (work) => runIn(state, work), close };
}

function createPoolState(options: PoolOptions): PoolState {
  const gate: { open?: PoolState['open'] } = {};
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
  state: PoolState,
  { tasks, signal }: PoolWork,
): AsyncGenerator<FinishedRun, void, void> {
  const stop = () => state.inbox.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) return;
    state.open(createDispatcher(tasks));
    for await (const rows of state.inbox.items()) yield* rows;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Who comes after a worker that broke takes its slot, with what is left there. */
function startWorker(state: PoolState, index: number, first?: SweepTask): void {
  const setup: WorkerSetup = { cells: state.cells, cacheFolder: state.cacheFolder };
  const send = (message: ToWorker) => worker.postMessage(message, []);
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const slot: WorkerSlot = { index, task: undefined, rows: 0 };
  let following = first;
  state.workers.add(worker);
  const goOn = (dispatcher: Dispatcher) => {
    slot.task = following ?? dispatcher.next(index);
    slot.rows = 0;
    following = undefined;
    send(slot.task === undefined ? { type: 'end' } : { type: 'task', task: slot.task });
  };
  worker.on('message', (message: FromWorker) => {
    if (message.type !== 'rows') return void state.dispatcher.then(goOn);
    slot.rows += message.rows.length;
    state.inbox.put(message.rows);
  });
  worker.on('exit', () => leave(worker, state));
  worker.on('error', (error) => replace(state, slot, error));
}

function leave(worker: Worker, { workers, inbox }: PoolState): void {
  workers.delete(worker);
  if (workers.size === 0) inbox.close();
}

/** Another worker goes on behind the run that broke this one. */
function replace(state: PoolState, slot: WorkerSlot, error: unknown): void {
  const [broken, ...rest] = slot.task?.runs.slice(slot.rows) ?? [];
  if (slot.task === undefined || broken === undefined) return state.inbox.fail(error);
  const reason = `the worker broke: ${messageOf(error)}`;
  const at = { cell: cellOf(broken, state.cellsById), run: broken };
  const line = toUnrunLine(slot.task.session, at, { state: 'failed', reason });
  state.inbox.put([{ place: broken.place, line }]);
  // Before the broken one has left, so that the pool is never empty.
  startWorker(state, slot.index, rest.length === 0 ? undefined : { ...slot.task, runs: rest });
}
