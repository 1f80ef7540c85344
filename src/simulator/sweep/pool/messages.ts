import type { Cell } from '../grid/cell.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly cells: readonly Cell[];
  readonly cacheFolder?: string | undefined;
}

/** What a worker is sent: the next task, or that there is none. */
export type ToWorker =
  | { readonly type: 'task'; readonly task: SweepTask }
  | { readonly type: 'end' };

/** What a worker sends: rows as they are finished, and that it has nothing to do. */
export type FromWorker = ({ readonly type: 'row' } & FinishedRun) | { readonly type: 'idle' };
