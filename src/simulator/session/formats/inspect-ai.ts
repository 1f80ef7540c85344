import { isObject, parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { eachRecording, type Facts, type Recording } from '../reading/recording.ts';
import { splitOutput, withoutMark } from '../reading/transcript.ts';

interface RecordedRequest {
  readonly event: kit.Fields;
  readonly compaction: kit.Fields | undefined;
  readonly summary: kit.Fields | undefined;
}

const ROLES = kit.wordsIn('assistant system tool user');
const EDIT = 'edit';
const SILENT = kit.wordsIn('data tool_use');
const SAMPLE = /^samples\/.*\.json$/;
const HEADERS = ['header.json', '_journal/start.json'];
const ATTACHMENT = 'attachment://';

/** Logs of inspect_ai: a session for each sample, in one document or an archive. */
export const inspectAi: SessionFormat = {
  label: 'inspect_ai log (JSON or .eval)',
  detect: (file) => file.archive?.names.some((name) => SAMPLE.test(name)) ?? isLog(file.json()),
  readEach,
};

function isLog(document: unknown): document is kit.Fields {
  if (!isObject(document)) return false;
  const { eval: told, samples } = document;
  return isObject(told) && 'task' in told && Array.isArray(samples);
}

function readEach(file: SourceFile) {
  const { archive } = file;
  const document = archive
    ? HEADERS.flatMap((path) => parseJson(archive.readText(path)) ?? [])[0]
    : file.json();
  const model = kit.toText(kit.valueAt(document, 'eval.model'));
  const paths = archive?.names.filter((name) => SAMPLE.test(name)).toSorted();
  const samples = paths ?? kit.toList(kit.fieldsOf(document)['samples']);
  return eachRecording(file, samples, {
    empty: 'a log without messages',
    lost: 'record without messages',
    silent: SILENT,
    read: (recording, sample) => {
      const value =
        archive && typeof sample === 'string' ? parseJson(archive.readText(sample)) : sample;
      return { ...readSample(recording, kit.fieldsOf(value)), model };
    },
  });
}

function readSample(recording: Recording, sample: kit.Fields): Facts {
  const { uuid, messages: values, attachments, events } = sample;
  const texts = kit.fieldsOf(attachments);
  const messages = recording
    .readObjects(values, kit.NO_ROLE)
    .map((message) => kit.fieldsOf(withAttachments(message, texts)));
  const requestOf = createLookup(kit.objectsIn(events), messages);
  const isOfTools = messages.length > 0 && messages.every(({ role }) => role === 'tool');
  const argumentsOf = (callId: unknown) =>
    kit.objectsIn(events).find(({ event, id }) => event === 'tool' && id === callId)?.['arguments'];
  // A summary stands before the step that it was written for.
  let summary: string | undefined;
  for (const message of messages) {
    const { id, role, content, metadata, function: name, tool_call_id: callId, error } = message;
    if (!ROLES.has(role)) recording.tally.drop(kit.NO_ROLE);
    else if (role === 'system') recording.addSystem(content);
    else if (role === 'tool') {
      const output = kit.textOf(content) || kit.orEmpty(kit.fieldsOf(error)['message']);
      const told = { content: toBlocks(content), output, isError: isObject(error) };
      // Without its answers, a log tells calls by their results.
      if (isOfTools)
        recording.readStep({ calls: [{ id: callId, name, args: argumentsOf(callId) }] });
      recording.readResult({ id: callId, name, ...told });
    } else if (role === 'assistant') {
      const request = requestOf(message);
      addCompaction(recording, request, summary);
      readStep(recording, message, request?.event);
      summary = undefined;
    } else if (kit.fieldsOf(metadata)['summary']) summary = kit.textOf(content);
    else recording.readPrompt({ id, content: toBlocks(content) });
  }
  return { sessionId: uuid, isPartial: isOfTools, isOutputFinal: true };
}

function withAttachments(value: unknown, texts: kit.Fields): unknown {
  if (typeof value === 'string' && value.startsWith(ATTACHMENT))
    return kit.toText(texts[value.slice(ATTACHMENT.length)]) ?? value;
  const resolve = (each: unknown) => withAttachments(each, texts);
  if (Array.isArray(value)) return value.map(resolve);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
}

/** Finds the request of a step by the id of its answer; by order in logs without ids, if each step has one. */
function createLookup(
  events: kit.Objects,
  messages: kit.Objects,
): (message: kit.Fields) => RecordedRequest | undefined {
  const steps = messages.filter(({ role }) => role === 'assistant');
  const ids = new Set(steps.flatMap(({ id }) => kit.toId(id) ?? []));
  const requests = requestsIn(events);
  const isKnown = requests.some(({ event }) => ids.has(answerIdOf(event) ?? ''));
  if (!isKnown && requests.length === steps.length)
    return (message) => requests[steps.indexOf(message)];
  return ({ id }) => {
    const own = requests.filter(({ event }) => answerIdOf(event) === id);
    return id === undefined ? undefined : own[0];
  };
}

function answerIdOf({ output }: kit.Fields): string | undefined {
  const [choice] = kit.objectsIn(kit.fieldsOf(output)['choices']);
  return kit.toId(kit.valueAt(choice, 'message.id'));
}

function requestsIn(events: kit.Objects): readonly RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  let compaction: kit.Fields | undefined;
  let summary: kit.Fields | undefined;
  for (const event of events) {
    if (event['event'] === 'compaction') {
      compaction = event;
      summary = requests.at(-1)?.event;
    } else if (event['event'] === 'model') {
      requests.push({ event, compaction, summary });
      compaction = undefined;
      summary = undefined;
    }
  }
  return requests;
}

function readStep(recording: Recording, message: kit.Fields, request: kit.Fields = {}): void {
  const { timestamp: time, model, output } = request;
  const { id, content, tool_calls: calls } = message;
  const [choice = {}] = kit.objectsIn(kit.fieldsOf(output)['choices']);
  recording.readStep({
    id,
    time,
    content: toBlocks(content),
    model: kit.toText(model),
    finish: choice['stop_reason'],
    usage: splitOutput(kit.valueAt(output, 'usage')),
    calls,
  });
}

function addCompaction(
  recording: Recording,
  request: RecordedRequest | undefined,
  summary: string | undefined,
) {
  const { compaction, summary: writer } = request ?? {};
  if (compaction === undefined && summary === undefined) return;
  const usage =
    summary === undefined ? undefined : splitOutput(kit.valueAt(writer, 'output.usage'));
  recording.addCompaction({
    kind: compaction?.['type'] === EDIT ? 'micro' : 'full',
    tokensBefore: compaction?.['tokens_before'],
    tokensAfter: compaction?.['tokens_after'],
    summaryUsage: usage && withoutMark(usage),
    summary,
  });
}

/** A redacted thought is a signature. */
function toBlocks(content: unknown): kit.Objects {
  return kit.blocksOf(content).flatMap((block) => {
    const { image, reasoning, redacted } = block;
    if (redacted === true && typeof reasoning === 'string') return [];
    return typeof image === 'string' ? [{ ...block, url: image }] : [block];
  });
}
