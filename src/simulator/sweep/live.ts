import { keepIn } from '../lib/collections.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { quoted } from '../lib/names.ts';
import type { AnySummarizer, FailedAnswer } from '../summarizer/summarizer.ts';
import { contentFor } from '../summarizer/summarizers.ts';
import { type Cell, isSimulated } from './grid.ts';
import { outcomeKey, type Outcome } from './run/outcomes.ts';
import { measureRun, type RunOfCell, toRowLine, unrun } from './run/row.ts';
import { NEVER_ASKED } from './run/prepare.ts';
import { type AdapterArm, armIn } from './run/run-arm.ts';
import { createMeeting, type PreparedSession, type TaskContext } from './run/run-task.ts';
import type { FinishedRun, SweepTask } from './run/task.ts';

/** The context of tasks that ask real models, or somebody's own compaction. */
export interface LiveContext extends TaskContext, Pick<LiveCells, 'firstSeed' | 'adapter'> {}

/** The cells of a sweep that others answer, and how those are asked: real models, or somebody's own compaction. */
export interface LiveCells {
  isLive(cell: Pick<Cell, 'summarizer'>): boolean;
  /** Throws `HarnessError` where what asking needs is not there, such as a key. */
  find(name: string): AnySummarizer;
  /** Tasks at once; each begins all of its runs. */
  readonly tasksAtOnce: number;
  /** The seed of the first trial: the next one is its repetition. */
  readonly firstSeed: number;
  /** Absent where no cell is of one. */
  readonly adapter?: AdapterArm | undefined;
}

/** Refusals of a request for what it is. All else may be otherwise the next time: a server that is away, or busy, or does not take the key. */
const REFUSES_REQUEST: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const REASON_LENGTH = 300;

/**
 * The rows of a task whose runs wait for answers, each as soon as it is there: all are begun at once but for those of
 * an adapter, those that run alike once. A run that breaks is a row with its reason; where nobody can be asked there is none, and it rejects.
 */
export function startLiveTask(
  task: SweepTask,
  context: LiveContext,
): readonly Promise<FinishedRun>[] {
  const { meet } = createMeeting(task.session, context.cells);
  const begin = async () => {
    await context.load(new Set(task.runs.map((run) => meet(run).cell.model.id)));
    return tryPrepare(task, context);
  };
  const session = begin();
  const outcomes = new Map<string, Promise<Outcome>>();
  let before: Promise<unknown> = Promise.resolve();
  const start = (at: RunOfCell) => {
    if (isSimulated(at.cell)) return session.then((one) => runCell(one, at, context));
    // Somebody's program is given the machine for itself.
    const own = before.then(async () => runCell(await session, at, context));
    before = own.catch(() => {});
    return own;
  };
  return task.runs.map(async (run) => {
    const at = meet(run);
    const key = `${outcomeKey(at.cell)} ${run.seed}`;
    const outcome = keepIn(outcomes, key, () => start(at));
    return { place: run.place, line: toRowLine(task.session, at, await outcome) };
  });
}

/** A summarizer that rejects where nobody answered: that says nothing of a policy, and is to be no row of a sweep and no run that came to an end. */
export function requireAnswers(summarizer: AnySummarizer): AnySummarizer {
  if (!summarizer.isAsync) return summarizer;
  return {
    ...summarizer,
    summarise: async (request, tools) => {
      const answer = await summarizer.summarise(request, tools);
      if (answer.state === 'finished' || refusesRequest(answer)) return answer;
      const { name } = summarizer;
      throw new HarnessError(
        'UNREADABLE',
        `Expected an answer from ${quoted(name)}, got ${quoted(answer.reason, REASON_LENGTH)}.`,
      );
    },
  };
}

/** Returns true if the request was refused for its content, and will be again. */
export function refusesRequest({ isOverflow, error }: FailedAnswer): boolean {
  return isOverflow || REFUSES_REQUEST.has(error?.statusCode);
}

/** Which repetition of the same run a trial is, from 1. */
export function repeatOf(seed: number, { firstSeed }: Pick<LiveCells, 'firstSeed'>): number {
  return seed - firstSeed + 1;
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
  { cell, run, setup }: RunOfCell,
  context: LiveContext,
): Promise<Outcome> {
  if (typeof session === 'string') return unrun('failed', session);
  const summarizer = isSimulated(cell)
    ? requireAnswers(context.findSummarizer(cell.summarizer))
    : NEVER_ASKED;
  const { signal } = context;
  try {
    const prepared = session.against(cell, contentFor(cell.summarizer));
    if (prepared.state === 'failed') return unrun('failed', prepared.reason);
    const { policy, model, modelChanges, summaryModel, mode } = cell;
    const arm = armIn(policy, context.adapter);
    const trial = { seed: run.seed, repeat: repeatOf(run.seed, context) };
    const models = { model, modelChanges, summaryModel };
    const options = { arm, setup, ...models, summarizer, mode, signal, ...trial };
    return (await measureRun(prepared, options)).outcome;
  } catch (error) {
    // A fault of an adapter is a result; a summarizer that cannot be asked is none.
    if (signal?.aborted || (error instanceof HarnessError && isSimulated(cell))) throw error;
    return unrun('failed', messageOf(error));
  }
}
