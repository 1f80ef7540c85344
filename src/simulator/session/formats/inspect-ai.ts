import { z } from 'zod';
import { isObject, parseJson } from '../../lib/json.ts';
import type { PlacedSession, SessionFormat, SourceFile } from '../format.ts';
import { type Block, blocksOf, textOf, toOutput, toParts } from '../reading/content.ts';
import {
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toList,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
import { toInput } from '../reading/tally.ts';
import {
  noConversation,
  type RecordedUsage,
  toEarlyFinish,
  withoutMark,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import { type Session, sessionName } from '../session.ts';

type Sample = z.infer<typeof sampleSchema>;
type SampleEvent = Sample['events'][number];
type InspectMessage = z.infer<typeof messageSchema>;
type InspectOutput = NonNullable<SampleEvent['output']>;

/** A request of a sample, with what its events say. */
interface RecordedRequest {
  readonly event: SampleEvent;
  /** The compaction between the request before and this one. */
  readonly compaction: Compacted | undefined;
}

interface Compacted {
  readonly event: SampleEvent;
  /** The request that wrote the summary; absent if none did. */
  readonly summary: SampleEvent | undefined;
}

const usageSchema = maybeObject({
  input_tokens: maybeTokens,
  output_tokens: maybeTokens,
  input_tokens_cache_read: maybeTokens,
  input_tokens_cache_write: maybeTokens,
  reasoning_tokens: maybeTokens,
});

const outputSchema = maybeObject({
  model: maybeText,
  choices: listOf(z.object({ message: maybeObject({ id: maybeId }), stop_reason: maybeText })),
  usage: usageSchema,
});

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['assistant', 'system', 'tool', 'user']),
  content: z.unknown().optional(),
  tool_calls: listOf(
    z.object({ id: maybeId, function: maybeText, arguments: z.unknown().optional() }),
  ),
  tool_call_id: maybeId,
  function: maybeText,
  error: maybeObject({ message: maybeText }),
  metadata: maybeObject({ summary: z.unknown().optional() }),
});

const eventSchema = z.object({
  event: maybeText,
  type: maybeText,
  timestamp: z.unknown().optional(),
  model: maybeText,
  output: outputSchema,
  tokens_before: maybeTokens,
  tokens_after: maybeTokens,
});

const sampleSchema = z.object({
  uuid: maybeId,
  messages: listOf(z.unknown()),
  events: listOf(eventSchema),
  attachments: z.unknown().optional(),
});

const MODEL_EVENT = 'model';
const COMPACTION_EVENT = 'compaction';
/** Compactions that clear outputs and keep all messages. */
const EDIT = 'edit';

/** Blocks that repeat calls, or that only a provider can read. */
const SILENT = new Set<unknown>(['data', 'tool_use']);

/** Files of an archive. */
const SAMPLE = /^samples\/.*\.json$/;
const HEADERS = ['header.json', '_journal/start.json'];
/** Stands for a long text that a sample keeps apart. */
const ATTACHMENT = 'attachment://';
/** Deep enough for the arguments of a call. */
const ATTACHMENT_DEPTH = 8;

/** Logs of inspect_ai: a session for each sample, in one document or an archive. */
export const inspectAi: SessionFormat = {
  label: 'inspect_ai log (JSON or .eval)',
  certainty: 'mark',
  detect: (file) => file.archive?.names.some((name) => SAMPLE.test(name)) ?? isLog(file.json()),
  readEach,
  keeps: {
    tools: 'bash_session python submit text_editor think',
    arguments: 'answer',
  },
};

function isLog(document: unknown): document is Block {
  if (!isObject(document)) return false;
  const { eval: told, samples } = document;
  return isObject(told) && 'task' in told && Array.isArray(samples);
}

/** Samples in order; one without messages gives no session. */
function* readEach(file: SourceFile): Generator<PlacedSession, void, undefined> {
  const { archive, name } = file;
  const document = archive === undefined ? file.json() : undefined;
  const samples = isLog(document) ? toList(document['samples']) : [];
  const paths = archive?.names.filter((each) => SAMPLE.test(each)).toSorted() ?? [];
  const count = archive === undefined ? samples.length : paths.length;
  const model = modelOf(file);
  let index = 0;
  let lost = 0;
  for (let at = 0; at < count; at++) {
    const value =
      archive === undefined ? samples[at] : parseJson(archive.readText(paths[at] ?? ''));
    const session = toSession(value, { model, lost });
    lost = session === undefined ? lost + 1 : 0;
    if (session === undefined) continue;
    yield { session: { name: sessionName(name, { index, count }), ...session } };
    index += 1;
  }
  if (index === 0) throw noConversation(name, 'a log without messages');
}

function modelOf(file: SourceFile): string | undefined {
  const { archive } = file;
  const headers = HEADERS.flatMap((path) => parseJson(archive?.readText(path) ?? '') ?? []);
  const header = archive === undefined ? file.json() : headers[0];
  const told = isObject(header) ? header['eval'] : undefined;
  return isObject(told) ? toText(told['model']) : undefined;
}

/** The session of a sample; those without messages before it are its losses. */
function toSession(
  value: unknown,
  { model, lost }: { readonly model: string | undefined; readonly lost: number },
): Omit<Session, 'name'> | undefined {
  const sample = sampleSchema.safeParse(value).data;
  if (sample === undefined) return undefined;
  const recording = createRecording();
  recording.tally.drop('record without messages', lost);
  const values = sample.messages.map((message) => withAttachments(message, sample));
  const messages = recording.parseEach(values, messageSchema, 'message without a role');
  const requestOf = createLookup(sample, messages);
  // A summary stands before the step that it was written for.
  let summary: string | undefined;
  for (const message of messages) {
    const { role, content, metadata, id: recordedId } = message;
    if (role === 'system') recording.addSystem(textOf(content));
    else if (role === 'tool') readResult(recording, message);
    else if (role === 'assistant') {
      const request = requestOf(message);
      addCompaction(recording, request?.compaction, summary);
      readStep(recording, message, request?.event);
      summary = undefined;
    } else if (metadata?.summary) summary = textOf(content);
    else {
      const parts = toParts(toBlocks(content), recording.tally, { silent: SILENT });
      recording.addPrompt({ createdAt: 0, recordedId, parts });
    }
  }
  const session = recording.finish('inspect-ai', {
    sessionId: sample.uuid,
    model,
    isOutputFinal: true,
  });
  return session.messages.length > 0 ? session : undefined;
}

/** A value of a message with the texts that stand apart. */
function withAttachments(value: unknown, { attachments }: Sample): unknown {
  const texts = isObject(attachments) ? attachments : {};
  const resolve = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string' && one.startsWith(ATTACHMENT)) {
      return toText(texts[one.slice(ATTACHMENT.length)]) ?? one;
    }
    if (depth === 0) return one;
    if (Array.isArray(one)) return one.map((each) => resolve(each, depth - 1));
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, each]) => [key, resolve(each, depth - 1)]),
    );
  };
  return resolve(value, ATTACHMENT_DEPTH);
}

/** Finds the request of a step by the id of its answer; by order in logs without ids, if each step has one. */
function createLookup(
  sample: Sample,
  messages: readonly InspectMessage[],
): (message: InspectMessage) => RecordedRequest | undefined {
  const steps = messages.filter(({ role }) => role === 'assistant');
  const ids = new Set(steps.flatMap(({ id }) => id ?? []));
  const events = sample.events.filter(({ event }) => event === MODEL_EVENT);
  const isKnown = events.some((event) => ids.has(answerIdOf(event) ?? ''));
  const isInOrder = !isKnown && events.length === steps.length;
  const ownIds = isInOrder ? events.map((_, index) => String(index)) : events.map(answerIdOf);
  const requests = requestsOf(
    sample,
    new Map(events.map((event, index) => [event, ownIds[index]])),
  );
  return (message) => {
    const key = isInOrder ? String(steps.indexOf(message)) : message.id;
    return key === undefined ? undefined : requests.get(key);
  };
}

function answerIdOf({ output }: SampleEvent): string | undefined {
  return output?.choices[0]?.message?.id;
}

/** Requests by key; the first of several with one key holds. */
function requestsOf(
  { events }: Sample,
  keys: ReadonlyMap<SampleEvent, string | undefined>,
): ReadonlyMap<string, RecordedRequest> {
  const requests = new Map<string, RecordedRequest>();
  let compaction: Compacted | undefined;
  let last: SampleEvent | undefined;
  for (const event of events) {
    if (event.event === COMPACTION_EVENT) compaction = { event, summary: last };
    if (event.event !== MODEL_EVENT) continue;
    const key = keys.get(event);
    if (key !== undefined && !requests.has(key)) {
      requests.set(key, { event, compaction });
      compaction = undefined;
    }
    last = event;
  }
  return requests;
}

function readStep(
  recording: Recording,
  message: InspectMessage,
  request: SampleEvent | undefined,
): void {
  const { tally } = recording;
  const output = request?.output;
  const step = recording.addStep({
    createdAt: toTime(request?.timestamp),
    recordedId: message.id,
    parts: toParts(toBlocks(message.content), tally, { silent: SILENT }),
    model: request?.model,
    finish: toEarlyFinish(output?.choices[0]?.stop_reason),
    usage: toUsage(output),
  });
  for (const { id: callId, function: tool = 'unknown', arguments: input } of message.tool_calls) {
    recording.addCall(step, { callId, tool, input: toInput(input, tally) });
  }
}

/** Adds the compaction before a step; its summary may be the only trace of it. */
function addCompaction(
  recording: Recording,
  compacted: Compacted | undefined,
  summary: string | undefined,
): void {
  if (compacted === undefined && summary === undefined) return;
  const { tokens_before: tokensBefore, tokens_after: tokensAfter, type } = compacted?.event ?? {};
  const usage = summary === undefined ? undefined : toUsage(compacted?.summary?.output);
  recording.addCompaction({
    kind: type === EDIT ? 'micro' : 'full',
    tokensBefore,
    tokensAfter,
    summary,
    summaryUsage: usage && withoutMark(usage),
  });
}

/** The usage of a request: input excludes what a cache held, output includes thoughts. */
function toUsage(output: InspectOutput | undefined): RecordedUsage | undefined {
  const usage = output?.usage;
  const reasoning = usage?.reasoning_tokens ?? 0;
  const written = usage?.output_tokens ?? 0;
  return countKinds({
    input: usage?.input_tokens,
    output: written < reasoning ? written : written - reasoning,
    reasoning,
    cacheRead: usage?.input_tokens_cache_read,
    cacheWrite: usage?.input_tokens_cache_write,
  });
}

function readResult(recording: Recording, message: InspectMessage): void {
  const { content, error, function: tool, tool_call_id: key } = message;
  const { attachments } = toOutput(toBlocks(content), recording.tally, { silent: SILENT });
  const output = textOf(content) || (error?.message ?? '');
  const result = { key, tool, output, isError: error !== undefined, attachments };
  if (!recording.finishCall(result)) recording.tally.drop('tool result without a call');
}

/** Blocks in the form that providers share. A redacted thought is a signature. */
function toBlocks(content: unknown): readonly Block[] {
  return blocksOf(content).flatMap((block) => {
    const { image, reasoning, redacted } = block;
    if (redacted === true && typeof reasoning === 'string') return [];
    return typeof image === 'string' ? [{ ...block, url: image }] : [block];
  });
}
