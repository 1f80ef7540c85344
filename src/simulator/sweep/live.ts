import { keepIn } from '../lib/collections.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { quoted } from '../lib/names.ts';
import type { AnySummarizer, FailedAnswer } from '../summarizer/summarizer.ts';
import { type Cell, isSimulated } from './grid.ts';
import { type Outcome, outcomeKey } from './run/outcomes.ts';
import type { PreparedSession } from './run/prepare.ts';
import { type AdapterArm, type RunOfCell, toFinished, unrun } from './run/row.ts';
import { createMeeting, prepareTask, runCell, type TaskContext } from './run/run-task.ts';
import type { SweepTask } from './run/task.ts';

export interface LiveContext extends TaskContext, Pick<LiveCells, 'firstSeed' | 'adapter'> {}

export interface LiveCells {
  isLive(cell: Pick<Cell, 'summarizer'>): boolean;
  /** Throws `HarnessError` where what asking needs is not there, such as a key. */
  find(name: string): AnySummarizer;
  readonly tasksAtOnce: number;
  readonly firstSeed: number;
  readonly adapter?: AdapterArm | undefined;
}

/** Refusals of a request for what it is; all else may be otherwise the next time. */
const REFUSES_REQUEST: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const REASON_LENGTH = 300;

/** The rows of a task whose runs wait for answers, as they come. */
export function startLiveTask(task: SweepTask, context: LiveContext) {
  const { meet } = createMeeting(task.session, context.cells);
  const session = prepareTask(task, context);
  const outcomes = new Map<string, Promise<Outcome>>();
  let before: Promise<unknown> = Promise.resolve();
  const start = (at: RunOfCell) => {
    if (isSimulated(at.cell)) return session.then((one) => tryLive(one, at, context));
    // Somebody's program is given the machine for itself.
    const own = before.then(async () => tryLive(await session, at, context));
    before = own.catch(() => {});
    return own;
  };
  return task.runs.map(async (run) => {
    const at = meet(run);
    const key = `${outcomeKey(at.cell)} ${run.seed}`;
    return toFinished(task.session, at, await keepIn(outcomes, key, () => start(at)));
  });
}

/** A summarizer that rejects where nobody answered, which says nothing of a policy. */
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
export function repeatOf(seed: number, { firstSeed }: Pick<LiveCells, 'firstSeed'>) {
  return seed - firstSeed + 1;
}

async function tryLive(session: PreparedSession | string, at: RunOfCell, context: LiveContext) {
  if (typeof session === 'string') return unrun('failed', session);
  const asked = {
    ...context,
    findSummarizer: (name: string) => requireAnswers(context.findSummarizer(name)),
    repeat: repeatOf(at.run.seed, context),
  };
  try {
    return (await runCell(session, at, asked)).outcome;
  } catch (error) {
    // A fault of an adapter is a result; a summarizer that cannot be asked is none.
    const isUnasked = error instanceof HarnessError && isSimulated(at.cell);
    if (context.signal?.aborted || isUnasked) throw error;
    return unrun('failed', messageOf(error));
  }
}
