import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import { faultCode } from '../../lib/files.ts';
import { isObject } from '../../lib/json.ts';
import type { BareTrace } from '../../replay/bare-trace.ts';
import { type Counters, createCounters } from '../../tokens/tokenizer.ts';
import type { Cell } from '../grid.ts';
import { tokenizerKey } from '../run/prepare.ts';
import { createTaskContext, runTask } from '../run/run-task.ts';
import type { FinishedRun, SessionRef, SweepTask } from '../run/task.ts';
import { parseRow } from '../store/read-rows.ts';

export interface QueuedTask {
  readonly task: SweepTask;
  readonly cells: readonly Cell[];
  readonly traces: ReadonlyMap<string, BareTrace>;
}

export type JobData = z.infer<typeof JobData>;

export type JobResult = z.infer<typeof JobResult>;
export const QUEUE_PREFIX = 'compaction-bench';

const MOST_TASK_BYTES = 2 ** 28;
const JobData = z.strictObject({ packed: z.base64() });
const QueuedTaskShape = z.custom<QueuedTask>(
  (value) => isObject(value) && ['task', 'cells', 'traces'].every((key) => key in value),
);
const JobResult = z.array(z.string());

/** The queue of the tasks of all sweeps; workers of another version have another one. */
export function queueNameOf(version: string) {
  return `tasks-${version}`;
}

export function createRunJob(): (job: { readonly data: unknown }) => Promise<JobResult> {
  const counters = createCounters();
  return async ({ data }) => await runQueuedTask(unpackTask(data), counters);
}

export function readRows({ session, runs }: SweepTask, result: unknown) {
  const read = JobResult.safeParse(result);
  if (!read.success || read.data.length !== runs.length) return undefined;
  const areOwn = runs.every(({ cell, seed }, index) => {
    const line = read.data[index] ?? '';
    const row = line.includes('\n') ? undefined : parseRow(line);
    const isOfSession = row?.session === session.name && row.sessionHash === session.hash;
    return isOfSession && row.cell === cell && row.seed === seed;
  });
  if (!areOwn) return undefined;
  return runs.map(({ place }, index): FinishedRun => ({ place, line: read.data[index] ?? '' }));
}

/** Whatever lies in a queue may be somebody else's. */
function unpackTask(data: unknown): QueuedTask {
  try {
    const { packed } = JobData.parse(data);
    const bytes = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_TASK_BYTES });
    return QueuedTaskShape.parse(deserialize(bytes));
  } catch (cause) {
    const isTooLarge = faultCode(cause) === 'ERR_BUFFER_TOO_LARGE';
    const got = isTooLarge ? 'one of more than 256 MB' : 'something else';
    throw new HarnessError('UNREADABLE', `Expected a task of a sweep, got ${got}.`, { cause });
  }
}

async function runQueuedTask({ task, cells, traces }: QueuedTask, counters: Counters) {
  const bareFor = (_: SessionRef, modelId: string): BareTrace => {
    const trace = traces.get(tokenizerKey(modelId));
    if (trace === undefined) throw new RangeError(`Expected a trace for ${modelId}, got none.`);
    return trace;
  };
  const context = await createTaskContext(cells, { bareFor, counters });
  const lines: string[] = [];
  for await (const rows of runTask(task, context)) lines.push(...rows.map(({ line }) => line));
  return lines;
}
