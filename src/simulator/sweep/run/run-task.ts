import { messageOf } from '../../errors.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import type { Cell } from '../grid/cell.ts';
import type { PreparedSession } from './controls.ts';
import type { EffectiveCell } from './effective-key.ts';
import { measureRun } from './measure-run.ts';
import { tightestFirst } from './order-runs.ts';
import type { AskedRun, Outcome } from './outcomes.ts';
import { cellOf, type RunOfCell, toRowLine, unrun } from './row.ts';
import type { CellsById, FinishedRun, SessionRef, SweepTask, TaskRun } from './task.ts';
import { type Leeway, NO_LEEWAY, watchLeeway } from './thresholds.ts';

/** What tasks need besides themselves. */
export interface TaskContext {
  readonly cells: CellsById;
  /** What runs read of a cell. */
  readonly readCell: (cell: Cell) => EffectiveCell;
  /** The session that a task names, as runs need it. Throws where it cannot be had. */
  readonly prepare: (ref: SessionRef) => PreparedSession;
  readonly findSummarizer: (name: string) => AnySummarizer;
  /** Fires when nobody waits for the rows any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A task with what came of its runs so far. */
interface Underway {
  readonly task: SweepTask;
  readonly context: TaskContext;
  readonly outcomes: Map<TaskRun, Outcome>;
  /** Rows that were given away. */
  finished: number;
}

/** A session that is ready to be run, or why it is not. */
type Opened =
  | { readonly state: 'open'; readonly session: PreparedSession }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * The rows of a task in their order, with each run that is made those that it settles; a run that breaks is a row
 * with its reason. Runs that are the same are made once.
 */
export async function* runTask(
  task: SweepTask,
  context: TaskContext,
): AsyncGenerator<readonly FinishedRun[], void, void> {
  const opened = tryOpen(task.session, context);
  const underway: Underway = { task, context, outcomes: new Map(), finished: 0 };
  const readRun = (run: TaskRun) => context.readCell(cellOf(run, context.cells));
  for (const run of tightestFirst(task.runs, readRun)) {
    const at = { cell: cellOf(run, context.cells), run };
    const known = knownOutcome(opened, at, context);
    // What is settled is told before anything can break.
    if (known === undefined) yield* takeSettled(underway);
    underway.outcomes.set(run, known ?? (await makeOutcome(opened, at, context)));
  }
  yield* takeSettled(underway);
}

/** The rows up to the first whose run is not made, in one piece; nothing where there is none. */
function* takeSettled(underway: Underway): Generator<readonly FinishedRun[], void, void> {
  const { task, context, outcomes, finished } = underway;
  const rows: FinishedRun[] = [];
  for (const run of task.runs.slice(finished)) {
    const outcome = outcomes.get(run);
    if (outcome === undefined) break;
    const at = { cell: cellOf(run, context.cells), run };
    rows.push({ place: run.place, line: toRowLine(task.session, at, outcome) });
  }
  underway.finished += rows.length;
  if (rows.length > 0) yield rows;
}

function tryOpen(ref: SessionRef, context: TaskContext): Opened {
  try {
    return { state: 'open', session: context.prepare(ref) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

/** The outcome of an earlier run that this one cannot differ from; absent where this one is to be made. */
function knownOutcome(opened: Opened, at: RunOfCell, context: TaskContext): Outcome | undefined {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  return opened.session.outcomes.find(askedBy(at, context));
}

async function makeOutcome(opened: Opened, at: RunOfCell, context: TaskContext): Promise<Outcome> {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  const { session } = opened;
  const { outcome, leeway } = await runCell(session, at, context);
  session.outcomes.add(askedBy(at, context), outcome, leeway);
  return outcome;
}

function askedBy({ cell, run }: RunOfCell, context: TaskContext): AskedRun {
  return { cell: context.readCell(cell), seed: run.seed };
}

async function runCell(
  session: PreparedSession,
  { cell, run }: RunOfCell,
  context: TaskContext,
): Promise<{ readonly outcome: Outcome; readonly leeway: Leeway }> {
  try {
    const prepared = session.against(cell.model);
    if (prepared.state === 'failed') return broken(prepared.reason);
    const { policy, model, summaryModel, summarizer: name, mode } = cell;
    const { signal } = context;
    const summarizer = context.findSummarizer(name);
    const options = { policy, model, summaryModel, summarizer, seed: run.seed, mode, signal };
    const watch = watchLeeway();
    const outcome = await measureRun(prepared, options, watch);
    return { outcome, leeway: watch.end() };
  } catch (error) {
    return broken(messageOf(error));
  }
}

function broken(reason: string) {
  return { outcome: unrun('failed', reason), leeway: NO_LEEWAY };
}
