/** Messages between a pool and its workers. */

import type { Cell } from '../grid/cell.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly cells: readonly Cell[];
  readonly cacheFolder?: string | undefined;
  /** Whether a session must be what its hash says; a task of another one is refused. */
  readonly checksContent?: boolean | undefined;
}

/** What a worker is sent: the next task, or that there is none. */
export type ToWorker = ({ readonly type: 'task' } & SentTask) | { readonly type: 'end' };

/** A task, with its session as a text where its file is elsewhere. */
export interface SentTask {
  readonly task: SweepTask;
  readonly text?: string | undefined;
}

/** What a worker sends: rows as they are finished, and that it has nothing to do, or why it did nothing. */
export type FromWorker =
  | { readonly type: 'rows'; readonly rows: readonly FinishedRun[] }
  | { readonly type: 'idle' }
  | { readonly type: 'refused'; readonly reason: string };
