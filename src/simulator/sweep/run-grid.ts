import type { Cell } from './grid/cell.ts';
import type { LiveCells } from './live/live-cells.ts';
import { countRows, planSweep, type SweepPlan } from './plan/plan.ts';
import { openPool, type Pool } from './pool/pool.ts';
import type { ResultRow } from './result-row.ts';
import { runPlan } from './run-plan.ts';

/** Which sessions to run in which cells. */
export interface GridOptions {
  readonly files: readonly string[];
  readonly cells: readonly Cell[];
  /** One trial of each cell a seed. */
  readonly seeds: readonly number[];
  /** Threads; 1, and that the calling one, by default. */
  readonly jobs?: number | undefined;
  /** Folder of token counts that other processes may use at the same time. */
  readonly cacheFolder?: string | undefined;
  /** Cells that ask real models; none by default. */
  readonly live?: LiveCells | undefined;
  /** Ends the rows early, between two runs. */
  readonly signal?: AbortSignal | undefined;
  /** How a path, or the name of a session, is shown; as given by default. */
  readonly nameOf?: ((path: string) => string) | undefined;
  /** Told of what the files hold before anything of it is run. */
  readonly onPlanned?: (plan: Pick<SweepPlan, 'sessions' | 'unread' | 'dropped'>) => void;
  readonly onProgress?: (progress: GridProgress) => void;
}

/** How far a grid has come, in runs. */
export interface GridProgress {
  readonly done: number;
  readonly total: number;
  /** The session that was worked on last, as it is shown. */
  readonly session: string;
}

/**
 * A row for each session in each cell with each seed, as they are finished: in the order of sessions, cells
 * and seeds where there is one job. A run that breaks is a row with its reason.
 */
export async function* runGrid(options: GridOptions): AsyncGenerator<ResultRow, void, void> {
  const { jobs = 1, cacheFolder, live } = options;
  const cells = options.cells.filter((cell) => live?.isLive(cell) !== true);
  const pool = openPool({ cells, jobs, cacheFolder });
  try {
    yield* runIn(pool, options);
  } finally {
    await pool?.close();
  }
}

async function* runIn(
  pool: Pool | undefined,
  options: GridOptions,
): AsyncGenerator<ResultRow, void, void> {
  const { cacheFolder, live, signal, onPlanned, onProgress } = options;
  const plan = await planSweep(options);
  if (plan === undefined) return;
  onPlanned?.(plan);
  const total = countRows(plan);
  const runOptions = { pool, isDone: () => false, cacheFolder, live, signal };
  let done = 0;
  for await (const { line } of runPlan(plan, runOptions)) {
    const row: ResultRow = JSON.parse(line);
    done += 1;
    onProgress?.({ done, total, session: row.session });
    yield row;
  }
}
