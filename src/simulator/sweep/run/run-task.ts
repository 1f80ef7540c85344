import { messageOf } from '../../errors.ts';
import type { RunEvent } from '../../events.ts';
import { prepareBound } from '../../metrics/bound/find-bound.ts';
import { type RunKey, recordRun, recordUnrun } from '../../metrics/record.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import type { Cell } from '../grid/cell.ts';
import type { ResultRow } from '../result-row.ts';
import type { PreparedSession } from './controls.ts';
import { digestEvents } from './event-digest.ts';
import type { CellsById, FinishedRun, SessionRef, SweepTask, TaskRun } from './task.ts';

/** What tasks need besides themselves. */
export interface TaskBench {
  readonly cells: CellsById;
  /** What cells that run alike share. */
  readonly effectiveKeyOf: (cell: Cell) => string;
  /** The session that a task names, as runs need it. Throws where it cannot be had. */
  readonly prepare: (ref: SessionRef) => PreparedSession;
  readonly findSummarizer: (name: string) => AnySummarizer;
  /** Fires when nobody waits for the rows any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a run came to, under whatever name. */
type Outcome = Omit<ResultRow, keyof RunKey | 'sessionHash' | 'cell' | 'settings'>;

/** What a run is called is said by its row. */
const NO_KEY: RunKey = { session: '', policy: '', model: '', summarizer: '', seed: 0 };

/** The rows of a task one by one; a run that breaks is a row with its reason. Cells that run alike are run once. */
export async function* runTask(
  task: SweepTask,
  bench: TaskBench,
): AsyncGenerator<FinishedRun, void, void> {
  const session = tryOpen(task.session, bench);
  const outcomes = new Map<string, Outcome>();
  for (const run of task.runs) {
    const cell = cellOf(run, bench.cells);
    const key = `${bench.effectiveKeyOf(cell)} ${run.seed}`;
    const outcome = outcomes.get(key) ?? (await runCell(session, { cell, run }, bench));
    outcomes.set(key, outcome);
    yield { place: run.place, line: toLine(toRow(task.session, { cell, run }, outcome)) };
  }
}

/** A row that no run stands behind. */
export function toUnrunLine(
  session: SessionRef,
  at: RunOfCell,
  { state, reason }: { readonly state: 'failed' | 'skipped'; readonly reason: string },
): string {
  return toLine(toRow(session, at, unrun(state, reason)));
}

/** One trial with its cell. */
export interface RunOfCell {
  readonly cell: Cell;
  readonly run: TaskRun;
}

/** The cell of a run. Throws `RangeError` where no cell has its id. */
export function cellOf({ cell: id }: TaskRun, cells: CellsById): Cell {
  const cell = cells.get(id);
  if (cell === undefined) throw new RangeError(`Expected a cell with the id ${id}, got none.`);
  return cell;
}

/** A session that is ready to be run, or why it is not. */
type Opened =
  | { readonly state: 'open'; readonly session: PreparedSession }
  | { readonly state: 'failed'; readonly reason: string };

function tryOpen(ref: SessionRef, bench: TaskBench): Opened {
  try {
    return { state: 'open', session: bench.prepare(ref) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

async function runCell(
  opened: Opened,
  { cell, run }: RunOfCell,
  bench: TaskBench,
): Promise<Outcome> {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  try {
    const prepared = opened.session.against(cell.model);
    if (prepared.state === 'failed') return unrun('failed', prepared.reason);
    const { policy, model, summaryModel, summarizer: name } = cell;
    const { signal } = bench;
    const summarizer = bench.findSummarizer(name);
    const options = { policy, model, summaryModel, summarizer, seed: run.seed, signal };
    const events: readonly RunEvent[] = await collectRun(prepared.trace, options);
    const { state, reason, metrics } = recordRun(NO_KEY, events, {
      control: prepared.control,
      runBound: prepareBound(prepared.trace, options),
    });
    const ending = { state, ...(reason !== undefined && { reason }), metrics };
    return { ...ending, eventDigest: digestEvents(events) };
  } catch (error) {
    return unrun('failed', messageOf(error));
  }
}

function unrun(state: 'failed' | 'skipped', why: string): Outcome {
  const { reason, metrics } = recordUnrun(NO_KEY, state, why);
  return { state, ...(reason !== undefined && { reason }), metrics, eventDigest: '' };
}

/** Keys in the order in which they are published. */
function toRow(session: SessionRef, { cell, run }: RunOfCell, outcome: Outcome): ResultRow {
  return {
    session: session.name,
    sessionHash: session.hash,
    cell: cell.id,
    policy: cell.policy.name,
    model: cell.model.id,
    summarizer: cell.summarizer,
    settings: cell.settings,
    seed: run.seed,
    ...outcome,
  };
}

function toLine(row: ResultRow): string {
  return JSON.stringify(row);
}
