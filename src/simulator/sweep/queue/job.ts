import * as z from 'zod';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import { parseRow } from '../store/places.ts';

/** What a job leaves behind: a line of results for each run, in the order of the runs. */
export interface JobResult {
  readonly lines: readonly string[];
}

/** The one kind of job that there is. */
export const JOB_NAME = 'task';

/** Ids that are all digits are the queue's own. */
const ID_PREFIX = 'task-';

const Task = z.strictObject({
  id: z.string(),
  session: z.strictObject({
    name: z.string(),
    file: z.string(),
    index: z.int().nonnegative(),
    hash: z.string(),
  }),
  runs: z
    .array(z.strictObject({ cell: z.string(), seed: z.int(), place: z.int().nonnegative() }))
    .min(1),
}) satisfies z.ZodType<SweepTask>;
/** What a job carries: which runs of which session, and no text of it. */
const Data = z.strictObject({ task: Task });
const Result = z.strictObject({ lines: z.array(z.string()) });

/** The same for the same task, so that a queue holds it once. */
export function jobIdOf({ id }: SweepTask): string {
  return `${ID_PREFIX}${id}`;
}

/** The task of a job. Throws where it carries something else. */
export function readTask(data: unknown): SweepTask {
  return Data.parse(data).task;
}

/** The rows that a job left; `undefined` where they are not those of the task. */
export function readRuns(task: SweepTask, result: unknown): readonly FinishedRun[] | undefined {
  const read = Result.safeParse(result);
  if (!read.success || read.data.lines.length !== task.runs.length) return undefined;
  const { lines } = read.data;
  const runs = task.runs.flatMap(({ place, cell, seed }, index) => {
    const line = lines[index] ?? '';
    const isOwn = isRowOf(line, { ...task.session, cell, seed });
    return isOwn ? [{ place, line }] : [];
  });
  return runs.length === task.runs.length ? runs : undefined;
}

interface Wanted {
  readonly name: string;
  readonly hash: string;
  readonly cell: string;
  readonly seed: number;
}

function isRowOf(line: string, { name, hash, cell, seed }: Wanted): boolean {
  const row = line.includes('\n') ? undefined : parseRow(line);
  return (
    row?.session === name && row.sessionHash === hash && row.cell === cell && row.seed === seed
  );
}
