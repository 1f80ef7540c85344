import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { blocksOf } from '../reading/content.ts';
import { maybeId, maybeText, toText, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { dropUnknown, type Tally, toInput } from '../reading/tally.ts';

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
  read: readRecording(
    { format: 'cursor-cli', empty: 'a Cursor stream without messages' },
    readStream,
  ),
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

function readStream(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const events = recording.parseLines(file.lines(), eventSchema);
  const stream = createStepStream(recording);
  const unknown = events.filter((event) => !readEvent(event, stream, tally));
  dropUnknown(
    tally,
    unknown.map(({ type }) => type),
  );
  const label = events.find(({ model }) => model !== undefined)?.model;
  return {
    sessionId: events.find((event) => event.session_id !== undefined)?.session_id,
    model: label === undefined ? undefined : `cursor/${label}`,
  };
}

/** Reads an event; false if it is of no known type. */
function readEvent(event: CursorEvent, stream: StepStream, tally: Tally): boolean {
  const { type = '', subtype, text = '', timestamp_ms: time } = event;
  const createdAt = toTime(time);
  if (type === 'user') {
    const parts = textsOf(event, tally).map((each) => ({ type: 'text' as const, text: each }));
    stream.addPrompt({ createdAt, parts });
  } else if (type === 'assistant') readTexts(event, stream, tally);
  else if (type === 'thinking') {
    if (text !== '') stream.extend({ type: 'reasoning', text }, createdAt);
  } else if (type === 'tool_call' && (subtype === 'started' || subtype === 'completed')) {
    const call = callIn(event, tally);
    if (call === undefined) return true;
    // A result repeats its call, and may be the first that is told of it.
    stream.addCall(call, createdAt);
    if (subtype === 'completed') stream.finishCall(call.callId, toResult(call.result));
  } else return BOOKKEEPING.has(type);
  return true;
}

/** Reads texts of a step. A stream in small pieces ends them with the whole text, which is left out. */
function readTexts(event: CursorEvent, stream: StepStream, tally: Tally): void {
  for (const text of textsOf(event, tally)) {
    const parts = stream.openStep()?.parts ?? [];
    const written = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
    if (written === text) tally.drop('repeated text');
    else stream.extend({ type: 'text', text }, toTime(event.timestamp_ms));
  }
}

function textsOf({ message }: CursorEvent, tally: Tally): readonly string[] {
  const pieces = blocksOf(isObject(message) ? message['content'] : undefined);
  const texts = pieces.flatMap(({ text }) => toText(text) ?? []);
  tally.drop('unknown content part', pieces.length - texts.length);
  return texts.filter((text) => text !== '');
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
