import * as z from 'zod';
import { isObject } from '../../lib/json.ts';
import type { Setup } from '../../setup/setup.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import { parseRow } from '../store/read-rows.ts';

/** A job: runs of a session, without texts. */
export interface JobData {
  readonly task: SweepTask;
  /** Rows of real models that were paid for before a worker broke off. */
  readonly done: readonly FinishedRun[];
}

/** The result of a job: a line for each run, in their order. */
export interface JobResult {
  readonly lines: readonly string[];
}

interface Wanted {
  readonly name: string;
  readonly hash: string;
  readonly cell: string;
  readonly seed: number;
}

/** The one kind of job that there is. */
export const JOB_NAME = 'task';

/** Ids that are all digits are the queue's own. */
const ID_PREFIX = 'task-';

const Bytes = z.int().nonnegative();
const Range = z.strictObject({ startByte: Bytes, endByte: Bytes.exactOptional() });
const Task = z.strictObject({
  id: z.string(),
  session: z.strictObject({
    name: z.string(),
    file: z.string(),
    index: z.int().nonnegative(),
    range: Range.exactOptional(),
    hash: z.string(),
    family: z.string().exactOptional(),
    setup: z.custom<Setup>(isObject).exactOptional(),
  }),
  runs: z
    .array(z.strictObject({ cell: z.string(), seed: z.int(), place: z.int().nonnegative() }))
    .min(1),
}) satisfies z.ZodType<SweepTask>;
const Finished = z.strictObject({ place: z.int().nonnegative(), line: z.string() });
const Data = z.strictObject({ task: Task, done: z.array(Finished).default([]) });
const Result = z.strictObject({ lines: z.array(z.string()) });

/** The id of a job: one for each task, so that a queue holds a task once. */
export function jobIdOf({ id }: SweepTask): string {
  return `${ID_PREFIX}${id}`;
}

/** A task with those of its rows that are there. Throws where a job carries something else. */
export function readJob(data: unknown): JobData {
  const { task, done } = Data.parse(data);
  return { task, done: done.filter((row) => isOwn(row, task)) };
}

/** The finished part of a job beside its task; nothing if the job is of another task. */
export function readDone(task: SweepTask, data: unknown): JobData['done'] {
  const read = Data.safeParse(data);
  return read.success ? read.data.done.filter((row) => isOwn(row, task)) : [];
}

/** The rows that a job left; `undefined` where they are not those of the task. */
export function readRuns(task: SweepTask, result: unknown): readonly FinishedRun[] | undefined {
  const read = Result.safeParse(result);
  if (!read.success || read.data.lines.length !== task.runs.length) return undefined;
  const { lines } = read.data;
  const runs = task.runs.map(({ place }, index) => ({ place, line: lines[index] ?? '' }));
  return runs.every((row) => isOwn(row, task)) ? runs : undefined;
}

function isOwn({ place, line }: FinishedRun, { session, runs }: SweepTask): boolean {
  const run = runs.find((one) => one.place === place);
  return run !== undefined && isRowOf(line, { ...session, ...run });
}

function isRowOf(line: string, { name, hash, cell, seed }: Wanted): boolean {
  const row = line.includes('\n') ? undefined : parseRow(line);
  return (
    row?.session === name && row.sessionHash === hash && row.cell === cell && row.seed === seed
  );
}
