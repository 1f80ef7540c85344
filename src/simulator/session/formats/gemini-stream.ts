import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toParts } from '../reading/content.ts';
import { flag, maybeId, maybeObject, maybeText, maybeTokens, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { dropUnknown, type Tally } from '../reading/tally.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';

type StreamEvent = z.infer<typeof eventSchema>;

const eventSchema = z.object({
  type: maybeText,
  timestamp: z.unknown().optional(),
  session_id: maybeId,
  model: maybeText,
  role: maybeText,
  content: maybeText,
  delta: flag,
  tool_name: maybeText,
  tool_id: maybeId,
  parameters: z.unknown().optional(),
  status: maybeText,
  output: maybeText,
  error: maybeObject({ message: maybeText }),
  stats: maybeObject({
    input_tokens: maybeTokens,
    output_tokens: maybeTokens,
    cached: maybeTokens,
  }),
});

/** Streams of `gemini --output-format stream-json`. */
export const geminiStream: SessionFormat = {
  label: 'Gemini CLI stream (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isInit) && records.some(isSaid);
  },
  read: readRecording(
    { format: 'gemini-stream', empty: 'a Gemini stream without messages' },
    readStream,
  ),
};

/** Recognizes the first event: streams of other agents call it a `system` event. */
function isInit(record: unknown): boolean {
  if (!isObject(record) || record['type'] !== 'init') return false;
  return typeof record['session_id'] === 'string' && typeof record['model'] === 'string';
}

function isSaid(record: unknown): boolean {
  if (!isObject(record)) return false;
  const { type, content, tool_id: callId } = record;
  if (type === 'message') return typeof content === 'string';
  return type === 'tool_use' && typeof callId === 'string';
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
  const { session_id: sessionId, model } = events.find(({ type }) => type === 'init') ?? {};
  return { sessionId, model: model && `google/${model}`, isOutputFinal: true };
}

/** Reads an event; false if it is of no known type. */
function readEvent(event: StreamEvent, stream: StepStream, tally: Tally): boolean {
  const { type, tool_id: callId, tool_name: tool = 'unknown', parameters: input = {} } = event;
  if (type === 'message') readMessage(event, stream, tally);
  else if (type === 'tool_use') {
    if (callId === undefined) tally.drop('tool call without an id');
    else stream.addCall({ callId, tool, input }, toTime(event.timestamp));
  } else if (type === 'tool_result') {
    const { status, output = event.error?.message ?? '' } = event;
    if (callId === undefined) tally.drop('tool result without a call');
    else stream.finishCall(callId, { output, isError: status === 'error' });
  } else if (type === 'result') readCount(event, stream, tally);
  else return type === 'init' || type === 'error';
  return true;
}

function readMessage(event: StreamEvent, stream: StepStream, tally: Tally): void {
  const { role, content: text = '', delta, timestamp } = event;
  const createdAt = toTime(timestamp);
  if (role === 'user') stream.addPrompt({ createdAt, parts: toParts(text, tally) });
  else if (role !== 'assistant') tally.drop('message without a role');
  else if (text !== '' && delta) stream.extend({ type: 'text', text }, createdAt);
  else if (text !== '') stream.write({ type: 'text', text }, createdAt);
}

/** Reads the tokens of a run, which are those of all its requests. */
function readCount({ stats }: StreamEvent, stream: StepStream, tally: Tally): void {
  const steps = stream.takeSteps();
  const total = splitCount({
    input: stats?.input_tokens,
    output: stats?.output_tokens,
    cacheRead: stats?.cached,
  });
  if (total !== undefined && steps.length > 0) shareUsage(total, steps, { tally });
}
