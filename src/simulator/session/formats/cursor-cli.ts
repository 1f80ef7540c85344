import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { list, maybeId, maybeText, toText, toTime } from '../reading/lenient.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import {
  createTally,
  dropUnknown,
  readRecordLines,
  type Tally,
  toInput,
} from '../reading/tally.ts';
import { noConversation, toSession } from '../reading/transcript.ts';
import type { Session } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly stream: StepStream;
}

type CursorEvent = z.infer<typeof eventSchema>;

const eventSchema = z.object({
  type: maybeText,
  subtype: maybeText,
  session_id: maybeId,
  model: maybeText,
  call_id: maybeId,
  timestamp_ms: z.unknown().optional(),
  text: maybeText,
  message: z.unknown().optional(),
  tool_call: z.unknown().optional(),
});

/** Records that repeat others, or that no model saw. */
const BOOKKEEPING = new Set(['connection', 'interaction_query', 'result', 'retry', 'system']);

const SAID = new Set(['user', 'assistant']);
const CALL_SUFFIX = /ToolCall$/;
const PLAIN_CALL = 'function';

/** Where the key for a request came from; other recorders of such streams use other words. */
const KEY_SOURCES = new Set<unknown>(['env', 'flag', 'login']);

/** Keys of failed results. */
const FAILURES = ['error', 'failure', 'rejected', 'permissionDenied', 'timeout'];

/** Keys of a result that hold what the model got, surest first. */
const OUTPUT_KEYS = ['content', 'output', 'stdout', 'stderr', 'errorMessage', 'error', 'reason'];

/** Streams of `cursor-agent -p --output-format stream-json`. */
export const cursorCli: SessionFormat = {
  label: 'Cursor CLI stream (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isMark) && records.some(isSaid);
  },
  read: (file) => [readStream(file)],
  keeps: {
    tools: 'delete mcp semSearch todo',
  },
};

/** Recognizes records that no other recorder of such streams writes. */
function isMark(record: unknown): boolean {
  if (!isObject(record)) return false;
  const { type, subtype } = record;
  if (type === 'tool_call') return isObject(record['tool_call']);
  const isInit = type === 'system' && subtype === 'init';
  return isInit && !('tools' in record) && KEY_SOURCES.has(record['apiKeySource']);
}

function isSaid(record: unknown): boolean {
  return isObject(record) && SAID.has(toText(record['type']) ?? '') && isObject(record['message']);
}

function readStream(file: SourceFile): Session {
  const tally = createTally();
  const events = readRecordLines(file.lines(), parseEvent, tally);
  const stream = createStepStream(tally);
  const unknown = events.filter((event) => !readEvent({ tally, stream }, event));
  dropUnknown(
    tally,
    unknown.map(({ type }) => type),
  );
  const drafts = stream.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a Cursor stream without messages');
  const sessionId = events.find((event) => event.session_id !== undefined)?.session_id;
  const label = events.find(({ model }) => model !== undefined)?.model;
  return {
    ...toSession(file.name, 'cursor-cli', {
      drafts,
      tally,
      model: label === undefined ? undefined : `cursor/${label}`,
      sessionId,
    }),
  };
}

function parseEvent(line: unknown): CursorEvent | undefined {
  return eventSchema.safeParse(line).data;
}

function readEvent(reading: Reading, event: CursorEvent): boolean {
  const { type = '', subtype } = event;
  if (type === 'user') readPrompt(reading, event);
  else if (type === 'assistant') readTexts(reading, event);
  else if (type === 'thinking') readThought(reading, event);
  else if (type === 'tool_call' && subtype === 'started') readCall(reading, event);
  else if (type === 'tool_call' && subtype === 'completed') readResult(reading, event);
  else return BOOKKEEPING.has(type);
  return true;
}

function readPrompt({ stream, tally }: Reading, event: CursorEvent): void {
  const texts = textsOf(event, tally);
  stream.addPrompt({
    createdAt: toTime(event.timestamp_ms),
    parts: texts.map((text) => ({ type: 'text', text })),
  });
}

function textsOf({ message }: CursorEvent, tally: Tally): readonly string[] {
  const content = isObject(message) ? message['content'] : undefined;
  const pieces = typeof content === 'string' ? [{ text: content }] : list.parse(content);
  const texts = pieces.flatMap((piece) => (isObject(piece) ? (toText(piece['text']) ?? []) : []));
  tally.drop('unknown content part', pieces.length - texts.length);
  return texts.filter((text) => text !== '');
}

/** Reads texts of a step. A stream in small pieces ends them with the whole text, which is left out. */
function readTexts({ stream, tally }: Reading, event: CursorEvent): void {
  for (const text of textsOf(event, tally)) {
    if (writtenBy(stream, 'text') === text) tally.drop('repeated text');
    else append(stream, event, { type: 'text', text });
  }
}

function readThought({ stream }: Reading, event: CursorEvent): void {
  if (event.text) append(stream, event, { type: 'reasoning', text: event.text });
}

/** Adds a piece of a text to the last part of the open step, if it is of the same type. */
function append(
  stream: StepStream,
  event: CursorEvent,
  part: { readonly type: 'text' | 'reasoning'; readonly text: string },
): void {
  const parts = stream.openStep()?.parts ?? [];
  const last = parts.at(-1);
  if (last?.type !== part.type) return stream.write(part, originOf(event));
  parts[parts.length - 1] = { ...last, text: last.text + part.text };
}

/** The texts that the open step wrote of a type. */
function writtenBy(stream: StepStream, type: 'text' | 'reasoning'): string {
  const parts = stream.openStep()?.parts ?? [];
  return parts.flatMap((part) => (part.type === type ? part.text : [])).join('');
}

function originOf({ timestamp_ms: time }: CursorEvent) {
  return { createdAt: toTime(time) };
}

function readCall({ stream, tally }: Reading, event: CursorEvent): void {
  const call = callIn(event, tally);
  if (call !== undefined) stream.addCall(call, originOf(event));
}

/** Reads a result; it repeats its call, which may be the first that is told of it. */
function readResult({ stream, tally }: Reading, event: CursorEvent): void {
  const call = callIn(event, tally);
  if (call === undefined) return;
  stream.addCall(call, originOf(event));
  stream.finishCall(call.callId, toResult(call.result));
}

function callIn({ call_id: callId, tool_call: told }: CursorEvent, tally: Tally) {
  const entries = Object.entries(isObject(told) ? told : {});
  const [key, body] = entries.find(([each]) => each === PLAIN_CALL || CALL_SUFFIX.test(each)) ?? [];
  if (callId === undefined || key === undefined || !isObject(body)) {
    tally.drop('tool call without an id');
    return undefined;
  }
  const isPlain = key === PLAIN_CALL;
  const tool = isPlain ? (toText(body['name']) ?? 'unknown') : key.replace(CALL_SUFFIX, '');
  const input = isPlain ? toInput(body['arguments'], tally) : (body['args'] ?? {});
  return { callId, tool, input, result: body['result'] };
}

/** The result of a call, under `success` or the name of a failure. */
function toResult(result: unknown) {
  if (!isObject(result)) return { output: toText(result) ?? '', isError: false };
  const { success } = result;
  if (success !== undefined) return { output: outputOf(success), isError: false };
  const told = FAILURES.map((key) => result[key]).find((each) => each !== undefined);
  return { output: outputOf(told ?? result), isError: true };
}

/** The texts among the fields of a result; all fields as JSON where it has none. */
function outputOf(told: unknown): string {
  if (!isObject(told)) return toText(told) ?? toJsonText(told);
  const texts = OUTPUT_KEYS.flatMap((key) => toText(told[key]) ?? []);
  return texts.length > 0 ? texts.filter((text) => text !== '').join('\n') : toJsonText(told);
}
