import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { blocksOf } from '../reading/content.ts';
import { type Fields, fieldsOf, toId, toModel, toText, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import type { Tally } from '../reading/tally.ts';

/** Records that repeat others, or that no model saw. */
const BOOKKEEPING = new Set<unknown>([
  'connection',
  'interaction_query',
  'result',
  'retry',
  'system',
]);

const SAID = new Set<unknown>(['user', 'assistant']);
const CALL_SUFFIX = /ToolCall$/;
const PLAIN_CALL = 'function';

/** Where the key for a request came from; other recorders of such streams use other words. */
const KEY_SOURCES = new Set<unknown>(['env', 'flag', 'login']);

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
  keeps: { tools: 'delete mcp semSearch todo' },
};

function isMark(record: unknown): boolean {
  const { type, subtype, tool_call: call, tools, apiKeySource } = fieldsOf(record);
  if (type === 'tool_call') return isObject(call);
  const isInit = type === 'system' && subtype === 'init' && tools === undefined;
  return isInit && KEY_SOURCES.has(apiKeySource);
}

function isSaid(record: unknown): boolean {
  const { type, message } = fieldsOf(record);
  return SAID.has(type) && isObject(message);
}

function readStream(recording: Recording, file: SourceFile): Facts {
  const events = recording.readLines(file.lines());
  const stream = createStepStream(recording);
  for (const event of events) readEvent(recording.tally, stream, event);
  const valueOf = (key: string) => events.flatMap((event) => toId(event[key]) ?? [])[0];
  return { sessionId: valueOf('session_id'), model: toModel(valueOf('model'), 'cursor') };
}

function readEvent(tally: Tally, stream: StepStream, event: Fields): void {
  const { type, subtype, timestamp_ms: time } = event;
  const createdAt = toTime(time);
  if (type === 'user') {
    const parts = textsOf(event, tally).map((text) => ({ type: 'text' as const, text }));
    stream.addPrompt({ createdAt, parts });
  } else if (type === 'assistant') {
    for (const text of textsOf(event, tally)) readText(tally, stream, { text, createdAt });
  } else if (type === 'thinking') {
    const text = toId(event['text']);
    if (text !== undefined) stream.extend({ type: 'reasoning', text }, createdAt);
  } else if (type === 'tool_call' && (subtype === 'started' || subtype === 'completed')) {
    const { result, ...call } = callIn(event);
    // A result repeats its call, and may be the first that is told of it.
    stream.readCall(call, createdAt);
    const isDone = subtype === 'completed' && toId(call.id) !== undefined;
    if (isDone) stream.readResult({ id: call.id, ...toResult(result) });
  } else if (!BOOKKEEPING.has(type)) tally.dropUnknown(type);
}

/** Reads a text of a step. A stream in small pieces ends them with the whole text, which is left out. */
function readText(
  tally: Tally,
  stream: StepStream,
  { text, createdAt }: { readonly text: string; readonly createdAt: number },
): void {
  const parts = stream.openStep()?.parts ?? [];
  const written = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
  if (written === text) tally.drop('repeated text');
  else stream.extend({ type: 'text', text }, createdAt);
}

function textsOf({ message }: Fields, tally: Tally): readonly string[] {
  const pieces = blocksOf(fieldsOf(message)['content']);
  const texts = pieces.flatMap(({ text }) => toText(text) ?? []);
  tally.drop('unknown content part', pieces.length - texts.length);
  return texts.filter((text) => text !== '');
}

function callIn({ call_id: id, tool_call: told }: Fields) {
  const entries = Object.entries(fieldsOf(told));
  const [key, body] = entries.find(([each]) => each === PLAIN_CALL || CALL_SUFFIX.test(each)) ?? [];
  if (key === undefined || !isObject(body)) return { id: undefined };
  const { name, arguments: given, args = given, result } = body;
  return { id, name: key === PLAIN_CALL ? name : key.replace(CALL_SUFFIX, ''), args, result };
}

function toResult(result: unknown) {
  const { success } = fieldsOf(result);
  if (!isObject(result) || success !== undefined) return { output: outputOf(success ?? result) };
  const told = FAILURES.map((key) => result[key]).find((each) => each !== undefined);
  return { output: outputOf(told ?? result), isError: true };
}

function outputOf(told: unknown): string {
  const texts = OUTPUT_KEYS.flatMap((key) => toText(fieldsOf(told)[key]) ?? []);
  if (texts.length > 0) return texts.filter((text) => text !== '').join('\n');
  return toText(told) ?? toJsonText(told);
}
