import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { flag, maybeId, maybeObject, maybeText, maybeTokens, toTime } from '../reading/lenient.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { createTally, dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import { noConversation, toSession } from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly stream: StepStream;
  /** Messages up to the last count. */
  countedMessages: number;
}

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
  read: (file) => [readStream(file)],
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

function readStream(file: SourceFile): Session {
  const tally = createTally();
  const events = readRecordLines(file.lines(), (line) => eventSchema.safeParse(line).data, tally);
  const reading: Reading = { tally, stream: createStepStream(tally), countedMessages: 0 };
  const unknown = events.filter((event) => !readEvent(reading, event));
  dropUnknown(
    tally,
    unknown.map(({ type }) => type),
  );
  const drafts = reading.stream.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a Gemini stream without messages');
  const init = events.find(({ type }) => type === 'init');
  const { session_id: sessionId, model } = init ?? {};
  return {
    ...toSession(file.name, 'gemini-stream', {
      drafts,
      tally,
      model: model && `google/${model}`,
      sessionId,
    }),
    isOutputFinal: true,
  };
}

function readEvent(reading: Reading, event: StreamEvent): boolean {
  const { type } = event;
  if (type === 'message') readMessage(reading, event);
  else if (type === 'tool_use') readCall(reading, event);
  else if (type === 'tool_result') readResult(reading, event);
  else if (type === 'result') readCount(reading, event);
  else return type === 'init' || type === 'error';
  return true;
}

function readMessage({ stream, tally }: Reading, event: StreamEvent): void {
  const { role, content: text = '' } = event;
  const origin = originOf(event);
  if (role === 'user') {
    stream.addPrompt({ ...origin, parts: text === '' ? [] : [{ type: 'text', text }] });
  } else if (role !== 'assistant') tally.drop('message without a role');
  else if (text !== '') addText(stream, event, text);
}

/** Adds a text; one in pieces goes on with the last part. */
function addText(stream: StepStream, event: StreamEvent, text: string): void {
  const parts = stream.openStep()?.parts ?? [];
  const last = parts.at(-1);
  if (!event.delta || last?.type !== 'text') {
    return stream.write({ type: 'text', text }, originOf(event));
  }
  parts[parts.length - 1] = { ...last, text: last.text + text };
}

function originOf({ timestamp }: StreamEvent) {
  return { createdAt: toTime(timestamp) };
}

function readCall({ stream, tally }: Reading, event: StreamEvent): void {
  const { tool_id: callId, tool_name: tool = 'unknown', parameters: input = {} } = event;
  if (callId === undefined) tally.drop('tool call without an id');
  else stream.addCall({ callId, tool, input }, originOf(event));
}

function readResult({ stream, tally }: Reading, event: StreamEvent): void {
  const { tool_id: callId, status, output = event.error?.message ?? '' } = event;
  if (callId === undefined) tally.drop('tool result without a call');
  else stream.finishCall(callId, { output, isError: status === 'error' });
}

/** Reads the tokens of a run, which are those of all its requests. */
function readCount(reading: Reading, { stats }: StreamEvent): void {
  const { stream, tally, countedMessages } = reading;
  const steps = stream.drafts.slice(countedMessages).filter(({ role }) => role === 'assistant');
  reading.countedMessages = stream.drafts.length;
  const total = splitCount({
    input: stats?.input_tokens,
    output: stats?.output_tokens,
    cacheRead: stats?.cached,
  });
  if (total !== undefined && steps.length > 0) shareUsage(total, steps, { tally });
}
