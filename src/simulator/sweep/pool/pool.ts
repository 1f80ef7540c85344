import { Worker } from 'node:worker_threads';
import { messageOf } from '../../lib/errors.ts';
import { guardOwnFolders } from '../../lib/process-end.ts';
import type { Cell } from '../grid.ts';
import { cellOf, toFinished, unrun } from '../run/row.ts';
import { type FinishedRun, inStretches, type SweepTask } from '../run/task.ts';

export interface WorkerSetup {
  readonly cacheFolder?: string | undefined;
  /** Also the fewest losses that are known; by default so. */
  readonly hasBounds?: boolean | undefined;
}

interface PoolOptions extends WorkerSetup {
  readonly jobs: number;
}

interface PoolWork {
  readonly cells: readonly Cell[];
  readonly tasks: Iterable<SweepTask>;
  readonly signal?: AbortSignal | undefined;
}

export interface Pool {
  run(work: PoolWork): AsyncGenerator<FinishedRun, void, void>;
  close(): Promise<void>;
}

interface PoolState extends PoolOptions {
  readonly dispatcher: Promise<Dispatcher>;
  readonly open: (dispatcher: Dispatcher) => void;
  readonly cells: Map<string, Cell>;
  readonly inbox: ReturnType<typeof createInbox<readonly FinishedRun[]>>;
  readonly workers: Set<Worker>;
  broke?: unknown;
  breaks: number;
  isClosed?: true;
}

interface WorkerSlot {
  readonly index: number;
  task: SweepTask | undefined;
  rows: number;
}

type Dispatcher = ReturnType<typeof createDispatcher>;

export type ToWorker =
  | { readonly type: 'cells'; readonly cells: readonly Cell[] }
  | { readonly type: 'task'; readonly task: SweepTask }
  | { readonly type: 'end' };

export type FromWorker =
  | { readonly type: 'rows'; readonly rows: readonly FinishedRun[] }
  | { readonly type: 'idle' };

/** Runs leave much behind at once; with less room for it, a tenth of the time goes into clearing up. */
const YOUNG_MB = 96;

/** Threads that break one after another, before it is taken that none will do better. */
export const MOST_BREAKS = 20;

/** True in the built program; sources do not load in a worker. */
export const CAN_START_WORKERS = !import.meta.url.endsWith('.ts');

/** Fewer tasks than that are sooner done by whoever has their session ready. */
const FEWEST_TO_SHARE = 2;

export function openPool(options: PoolOptions): Pool | undefined {
  if (options.jobs === 1 || !CAN_START_WORKERS) return undefined;
  let resolveWith: PoolState['open'] | undefined;
  const dispatcher = new Promise<Dispatcher>((resolve) => {
    resolveWith = resolve;
  });
  const shared = { cells: new Map(), inbox: createInbox<readonly FinishedRun[]>() };
  const workers = new Set<Worker>();
  const open: PoolState['open'] = (ready) => resolveWith?.(ready);
  const state: PoolState = { ...options, ...shared, dispatcher, open, workers, breaks: 0 };
  guardOwnFolders();
  const close = async () => {
    state.isClosed = true;
    await Promise.all([...workers].map((worker) => worker.terminate()));
  };
  return { run: (work) => runIn(state, work), close };
}

/** Hands out tasks as they are needed, so that whoever has a session ready goes on with it. */
export function createDispatcher(tasks: Iterable<SweepTask>) {
  const sessions = inStretches(tasks, ({ session }) => session);
  const queues = new Map<number, SweepTask[]>();
  return {
    /** The next task for a worker; nothing where others will finish what is left. */
    next: (worker: number): SweepTask | undefined => {
      const own = queues.get(worker)?.shift();
      if (own !== undefined) return own;
      const fresh = sessions.next();
      if (fresh.done) return takeFromFullest(queues);
      queues.set(worker, fresh.value);
      return fresh.value.shift();
    },
  };
}

export function createInbox<Item>() {
  let waiting: Item[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const finish = (how: { readonly error?: unknown }) => {
    end ??= how;
    wake?.();
  };
  return {
    put: (item: Item) => {
      waiting.push(item);
      wake?.();
    },
    close: () => finish({}),
    fail: (error: unknown) => finish({ error }),
    async *items(): AsyncGenerator<Item, void, void> {
      for (;;) {
        const taken = waiting;
        waiting = [];
        yield* taken;
        if (waiting.length > 0) continue;
        if (end !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ('error' in end) throw end.error;
    },
  };
}

function startWorker(state: PoolState, index: number, first?: SweepTask) {
  const { cells, cacheFolder, hasBounds, inbox } = state;
  const setup: WorkerSetup = { cacheFolder, hasBounds };
  const send = (message: ToWorker) => worker.postMessage(message, []);
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const slot: WorkerSlot = { index, task: undefined, rows: 0 };
  let following = first;
  state.workers.add(worker);
  const withWork = (act: (dispatcher: Dispatcher) => void) =>
    void state.dispatcher.then(act).catch((error: unknown) => inbox.fail(error));
  const goOn = (dispatcher: Dispatcher) => {
    slot.task = following ?? dispatcher.next(index);
    slot.rows = 0;
    following = undefined;
    send(slot.task === undefined ? { type: 'end' } : { type: 'task', task: slot.task });
  };
  worker.on('message', (message: FromWorker) => {
    if (message.type !== 'rows') return withWork(goOn);
    slot.rows += message.rows.length;
    state.breaks = 0;
    inbox.put(message.rows);
  });
  worker.on('error', (error) => replace(state, slot, error));
  worker.on('exit', (code) => {
    // One that ended by itself in the middle of a task breaks it as well.
    if (slot.task !== undefined && !state.isClosed)
      replace(state, slot, new Error(`it ended with ${code}`));
    state.workers.delete(worker);
    if (state.workers.size === 0) withWork((dispatcher) => finish(state, dispatcher));
  });
  withWork(() => send({ type: 'cells', cells: [...cells.values()] }));
}

function finish(state: PoolState, dispatcher: Dispatcher) {
  for (let index = 0; state.broke !== undefined && index < state.jobs; index++) {
    for (let task = dispatcher.next(index); task !== undefined; task = dispatcher.next(index))
      fail(state, task, state.broke);
  }
  state.inbox.close();
}

function replace(state: PoolState, slot: WorkerSlot, error: unknown) {
  const { index, task, rows } = slot;
  slot.task = undefined;
  state.broke = error;
  state.breaks += 1;
  const [broken, ...rest] = task?.runs.slice(rows) ?? [];
  if (task === undefined || broken === undefined) return;
  if (state.breaks > MOST_BREAKS) return fail(state, { ...task, runs: [broken, ...rest] }, error);
  fail(state, { ...task, runs: [broken] }, error);
  // Before the broken one has left, so that the pool is never empty.
  startWorker(state, index, rest.length === 0 ? undefined : { ...task, runs: rest });
}

function fail({ cells, inbox }: PoolState, { session, runs }: SweepTask, error: unknown) {
  const outcome = unrun('failed', `the worker broke: ${messageOf(error)}`);
  inbox.put(runs.map((run) => toFinished(session, { cell: cellOf(run, cells), run }, outcome)));
}

async function* runIn(state: PoolState, { cells, tasks, signal }: PoolWork) {
  const stop = () => state.inbox.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) return;
    for (const cell of cells) state.cells.set(cell.id, cell);
    state.open(createDispatcher(tasks));
    for (let index = 0; index < state.jobs; index++) startWorker(state, index);
    for await (const rows of state.inbox.items()) yield* rows;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** From the end, far from what its owner does next. */
function takeFromFullest(queues: ReadonlyMap<number, SweepTask[]>) {
  let fullest: SweepTask[] = [];
  for (const queue of queues.values()) if (queue.length > fullest.length) fullest = queue;
  return fullest.length < FEWEST_TO_SHARE ? undefined : fullest.pop();
}
