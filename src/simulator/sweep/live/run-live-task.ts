import { HarnessError, messageOf } from '../../errors.ts';
import { keepIn } from '../../keep-in.ts';
import type { PreparedSession } from '../run/controls.ts';
import { effectiveKey } from '../run/effective-key.ts';
import { measureRun } from '../run/measure-run.ts';
import type { Outcome } from '../run/outcomes.ts';
import { cellOf, type RunOfCell, toRowLine, unrun } from '../run/row.ts';
import type { TaskContext } from '../run/run-task.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import { type LiveCells, repeatOf } from './live-cells.ts';
import { requireAnswers } from './require-answers.ts';

/** What tasks that ask real models need besides themselves. */
export interface LiveContext extends TaskContext, Pick<LiveCells, 'firstSeed'> {}

/**
 * The rows of a task whose runs wait for answers, each as soon as it is there: all are begun at once, those that run
 * alike once. A run that breaks is a row with its reason; where nobody can be asked there is none, and it rejects.
 */
export function startLiveTask(
  task: SweepTask,
  context: LiveContext,
): readonly Promise<FinishedRun>[] {
  const session = tryPrepare(task, context);
  const outcomes = new Map<string, Promise<Outcome>>();
  return task.runs.map(async (run) => {
    const cell = cellOf(run, context.cells);
    const key = `${effectiveKey(cell)} ${run.seed}`;
    const outcome = keepIn(outcomes, key, () => runCell(session, { cell, run }, context));
    return { place: run.place, line: toRowLine(task.session, { cell, run }, await outcome) };
  });
}

function tryPrepare({ session }: SweepTask, context: LiveContext): PreparedSession | string {
  try {
    return context.prepare(session);
  } catch (error) {
    return messageOf(error);
  }
}

async function runCell(
  session: PreparedSession | string,
  { cell, run }: RunOfCell,
  context: LiveContext,
): Promise<Outcome> {
  if (typeof session === 'string') return unrun('failed', session);
  const summarizer = requireAnswers(context.findSummarizer(cell.summarizer));
  const { signal } = context;
  try {
    const prepared = session.against(cell.model);
    if (prepared.state === 'failed') return unrun('failed', prepared.reason);
    const { policy, model, summaryModel, mode } = cell;
    const trial = { seed: run.seed, repeat: repeatOf(run.seed, context) };
    const options = { policy, model, summaryModel, summarizer, mode, signal, ...trial };
    return await measureRun(prepared, options);
  } catch (error) {
    if (error instanceof HarnessError || signal?.aborted) throw error;
    return unrun('failed', messageOf(error));
  }
}
