import {
  canonicalJson,
  type FilePart,
  type Message,
  type ToolPart,
} from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { isChange } from '../../session/touches.ts';
import { type Activity, type References, type StaleOutput, sideOf } from './reference.ts';
import type { Touches } from './touches.ts';

interface ActivityInput extends Pick<References, 'partNumbers'> {
  readonly touches: Touches;
  readonly weigh: (part: ToolPart, of: 'output') => number;
}

interface Course {
  readonly answers: Map<string, { readonly output: string; times: number }>;
  readonly reads: Map<string, ToolPart[]>;
  row: { readonly key: string; calls: number; isSame: boolean } | undefined;
}

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
export const LOOP_CALLS = 3;

/** Reads, loops and outputs that become useless, by the messages that they come with. */
export function findActivity(
  messages: readonly Message[],
  input: ActivityInput,
): ReadonlyMap<string, Activity> {
  const course: Course = { answers: new Map(), reads: new Map(), row: undefined };
  const found = new Map<string, Activity>();
  for (const message of messages) {
    if (message.role === 'user') course.row = undefined;
    const activity = { fileReads: 0, fileRereads: 0, loops: 0, stale: [] as StaleOutput[] };
    for (const part of message.parts)
      if (part.type === 'tool') addCall(course, activity, { part, input });
    if (activity.fileReads + activity.loops + activity.stale.length > 0)
      found.set(message.id, activity);
  }
  return found;
}

function callKey({ tool, state }: ToolPart): string {
  return `${tool} ${canonicalJson(state.input)}`;
}

function addCall(
  course: Course,
  activity: { -readonly [Key in keyof Activity]: Activity[Key] } & { stale: StaleOutput[] },
  { part, input }: { readonly part: ToolPart; readonly input: ActivityInput },
): void {
  const key = callKey(part);
  const output = answerOf(part);
  const before = course.answers.get(key);
  const isSame = before !== undefined && before.output === output;
  const answer = isSame ? before : { output, times: 0 };
  answer.times += 1;
  // A call that failed gave no answer.
  if (part.state.status === 'completed') course.answers.set(key, answer);
  if (answer.times === LOOP_CALLS) activity.loops += 1;
  activity.loops += endsRow(course, key, isSame) ? 1 : 0;
  const touches = input.touches.of(part);
  const read = touches.filter(({ operation }) => operation === 'read');
  if (read.length > 0) {
    activity.fileReads += 1;
    if (isSame) activity.fileRereads += 1;
  }
  for (const { path } of read) addToGroup(course.reads, path, part);
  for (const { path } of touches.filter(isChange))
    activity.stale.push(...spoil(course, path, input));
}

function endsRow(course: Course, key: string, isSame: boolean): boolean {
  if (course.row?.key !== key) course.row = { key, calls: 0, isSame: true };
  const { row } = course;
  row.calls += 1;
  if (row.calls > 1 && !isSame) row.isSame = false;
  return row.calls === LOOP_CALLS && !row.isSame;
}

function spoil(course: Course, path: string, { partNumbers, weigh }: ActivityInput): StaleOutput[] {
  const parts = course.reads.get(path) ?? [];
  course.reads.delete(path);
  return [...new Set(parts)].map((part) => {
    course.answers.delete(callKey(part));
    return { side: sideOf(partNumbers.get(part.id) ?? 0, 'output'), tokens: weigh(part, 'output') };
  });
}

function answerOf(part: ToolPart): string {
  const { state } = part;
  const files: readonly FilePart[] = state.status === 'completed' ? (state.attachments ?? []) : [];
  return [outputOf(part) ?? '', ...files.map(({ mime, url }) => `${mime} ${url}`)].join('\n');
}
