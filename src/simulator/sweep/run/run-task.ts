import { messageOf } from '../../errors.ts';
import type { RunEvent } from '../../events.ts';
import { prepareBound } from '../../metrics/bound/find-bound.ts';
import { type RunKey, recordRun, recordUnrun } from '../../metrics/record.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import type { Cell } from '../grid/cell.ts';
import type { ResultRow } from '../result-row.ts';
import type { PreparedSession } from './controls.ts';
import type { EffectiveCell } from './effective-key.ts';
import { digestEvents } from './event-digest.ts';
import { tightestFirst } from './order-runs.ts';
import type { Outcome } from './outcomes.ts';
import type { CellsById, FinishedRun, SessionRef, SweepTask, TaskRun } from './task.ts';
import { type Leeway, NO_LEEWAY, watchLeeway } from './thresholds.ts';

/** What tasks need besides themselves. */
export interface TaskBench {
  readonly cells: CellsById;
  /** What runs read of a cell. */
  readonly readCell: (cell: Cell) => EffectiveCell;
  /** The session that a task names, as runs need it. Throws where it cannot be had. */
  readonly prepare: (ref: SessionRef) => PreparedSession;
  readonly findSummarizer: (name: string) => AnySummarizer;
  /** Fires when nobody waits for the rows any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a run is called is said by its row. */
export const NO_KEY: RunKey = { session: '', policy: '', model: '', summarizer: '', seed: 0 };

/**
 * The rows of a task in their order, those together that one run settles; a run that breaks is a row with its
 * reason. Runs that are the same are made once.
 */
export async function* runTask(
  task: SweepTask,
  bench: TaskBench,
): AsyncGenerator<readonly FinishedRun[], void, void> {
  const opened = tryOpen(task.session, bench);
  const outcomes = new Map<TaskRun, Outcome>();
  const readRun = (run: TaskRun) => bench.readCell(cellOf(run, bench.cells));
  let finished = 0;
  for (const run of tightestFirst(task.runs, readRun)) {
    outcomes.set(run, await outcomeOf(opened, { cell: cellOf(run, bench.cells), run }, bench));
    const rows = [...rowsFrom(finished, { task, outcomes, bench })];
    finished += rows.length;
    if (rows.length > 0) yield rows;
  }
}

/** The rows behind that many, up to the first whose run is not made. */
function* rowsFrom(
  finished: number,
  { task, outcomes, bench }: Underway,
): Generator<FinishedRun, void, void> {
  for (let index = finished; index < task.runs.length; index++) {
    const run = task.runs[index];
    const outcome = run && outcomes.get(run);
    if (run === undefined || outcome === undefined) return;
    const at = { cell: cellOf(run, bench.cells), run };
    yield { place: run.place, line: toLine(toRow(task.session, at, outcome)) };
  }
}

/** A task with what of it is made. */
interface Underway {
  readonly task: SweepTask;
  readonly outcomes: ReadonlyMap<TaskRun, Outcome>;
  readonly bench: TaskBench;
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

/** The outcome of an earlier run that this one cannot differ from, else of this one. */
async function outcomeOf(opened: Opened, at: RunOfCell, bench: TaskBench): Promise<Outcome> {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  const { session } = opened;
  const asked = { cell: bench.readCell(at.cell), seed: at.run.seed };
  const known = session.outcomes.find(asked);
  if (known !== undefined) return known;
  const { outcome, leeway } = await runCell(session, at, bench);
  session.outcomes.add(asked, outcome, leeway);
  return outcome;
}

async function runCell(
  session: PreparedSession,
  { cell, run }: RunOfCell,
  bench: TaskBench,
): Promise<{ readonly outcome: Outcome; readonly leeway: Leeway }> {
  try {
    const prepared = session.against(cell.model);
    if (prepared.state === 'failed') return broken(prepared.reason);
    const { policy, model, summaryModel, summarizer: name, mode } = cell;
    const { signal } = bench;
    const summarizer = bench.findSummarizer(name);
    const options = { policy, model, summaryModel, summarizer, seed: run.seed, mode, signal };
    const events: readonly RunEvent[] = await collectRun(prepared.trace, options);
    const watch = watchLeeway();
    for (const event of events) watch.add(event);
    const { state, reason, metrics } = recordRun(NO_KEY, events, {
      control: prepared.control,
      runBound: prepareBound(prepared.trace, options, watch.addBound),
    });
    const ending = { state, ...(reason !== undefined && { reason }), metrics };
    return {
      outcome: { ...ending, eventDigest: digestEvents(events) },
      leeway: watch.end(),
    };
  } catch (error) {
    return broken(messageOf(error));
  }
}

function broken(reason: string) {
  return { outcome: unrun('failed', reason), leeway: NO_LEEWAY };
}

/** The outcome of what was not run. */
export function unrun(state: 'failed' | 'skipped', why: string): Outcome {
  const { reason, metrics } = recordUnrun(NO_KEY, state, why);
  return { state, ...(reason !== undefined && { reason }), metrics, eventDigest: '' };
}

/** The row of a run, its keys in the order in which they are published. */
export function toRow(session: SessionRef, { cell, run }: RunOfCell, outcome: Outcome): ResultRow {
  return {
    session: session.name,
    sessionHash: session.hash,
    cell: cell.id,
    policy: cell.policy.name,
    model: cell.model.id,
    summarizer: cell.summarizer,
    settings: cell.settings,
    seed: run.seed,
    ...(cell.mode !== undefined && { mode: cell.mode }),
    ...outcome,
  };
}

/** A row as a line of results. */
export function toLine(row: ResultRow): string {
  return JSON.stringify(row);
}
