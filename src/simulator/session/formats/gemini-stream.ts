import type { SessionFormat, SourceFile } from '../format.ts';
import { toParts } from '../reading/content.ts';
import { type Fields, fieldsOf, toId, toModel, toText, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { countsIn, shareUsage, splitCount } from '../reading/usage.ts';

const COUNTS = { input: 'input_tokens', output: 'output_tokens', cacheRead: 'cached' };

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
  const { type, session_id: id, model } = fieldsOf(record);
  return type === 'init' && typeof id === 'string' && typeof model === 'string';
}

function isSaid(record: unknown): boolean {
  const { type, content, tool_id: callId } = fieldsOf(record);
  if (type === 'message') return typeof content === 'string';
  return type === 'tool_use' && typeof callId === 'string';
}

function readStream(recording: Recording, file: SourceFile): Facts {
  const events = recording.readLines(file.lines());
  const stream = createStepStream(recording);
  for (const event of events) readEvent(recording, stream, event);
  const { session_id: sessionId, model } = events.find(({ type }) => type === 'init') ?? {};
  return { sessionId: toId(sessionId), model: toModel(model, 'google'), isOutputFinal: true };
}

function readEvent(recording: Recording, stream: StepStream, event: Fields): void {
  const { type, timestamp, stats, tool_id: id, tool_name: name, parameters: args } = event;
  const { tally } = recording;
  const createdAt = toTime(timestamp);
  if (type === 'message') {
    const { role, content, delta } = event;
    const text = toText(content) ?? '';
    if (role === 'user') stream.addPrompt({ createdAt, parts: toParts(text, tally) });
    else if (role !== 'assistant') tally.drop('message without a role');
    else if (text !== '' && delta === true) stream.extend({ type: 'text', text }, createdAt);
    else if (text !== '') stream.write({ type: 'text', text }, createdAt);
  } else if (type === 'tool_use') stream.readCall({ id, name, args }, createdAt);
  else if (type === 'tool_result') {
    const { status, error, output = fieldsOf(error)['message'] } = event;
    stream.readResult({ id, output: toText(output) ?? '', isError: status === 'error' });
  } else if (type === 'result') {
    // The tokens of a run are those of all its requests.
    const total = splitCount(countsIn(stats, COUNTS));
    const steps = stream.takeSteps();
    if (total !== undefined && steps.length > 0) shareUsage(total, steps, { tally });
  } else if (type !== 'init' && type !== 'error') tally.dropUnknown(type);
}
