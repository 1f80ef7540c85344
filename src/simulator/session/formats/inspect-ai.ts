import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import type { PlacedSession, SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toList,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  type DraftPart,
  finishSession,
  noConversation,
  type RecordedUsage,
  toEarlyFinish,
  withoutMark,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';

type Fields = Readonly<Record<string, unknown>>;
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

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  readonly systemTexts: string[];
  readonly requestOf: (message: InspectMessage) => RecordedRequest | undefined;
  /** A summary whose step has not come. */
  summary: string | undefined;
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

function isLog(document: unknown): document is Fields {
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
  const tally = createTally();
  tally.drop('record without messages', lost);
  const values = sample.messages.map((message) => withAttachments(message, sample));
  const messages = values.flatMap((message) => messageSchema.safeParse(message).data ?? []);
  tally.drop('message without a role', values.length - messages.length);
  const reading: Reading = {
    tally,
    dialogue: createDialogue(tally),
    compactions: [],
    systemTexts: [],
    requestOf: createLookup(sample, messages),
    summary: undefined,
  };
  for (const message of messages) readMessage(reading, message);
  const drafts = reading.dialogue.end();
  if (drafts.length === 0) return undefined;
  const system = reading.systemTexts.join('\n\n');
  return {
    format: 'inspect-ai',
    ...(sample.uuid !== undefined && { sessionId: sample.uuid }),
    isSide: false,
    isPartial: false,
    ...(system !== '' && { system }),
    recordedCompactions: reading.compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally, model),
  };
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

function readMessage(reading: Reading, message: InspectMessage): void {
  const { dialogue, systemTexts, tally } = reading;
  const { role, content, metadata } = message;
  if (role === 'system') systemTexts.push(textOf(content));
  else if (role === 'assistant') readStep(reading, message);
  else if (role === 'tool') readResult(reading, message);
  else if (metadata?.summary) reading.summary = textOf(content);
  else {
    const parts = toContentParts(content, tally);
    dialogue.addPrompt({ createdAt: 0, recordedId: message.id, parts });
  }
}

function readStep(reading: Reading, message: InspectMessage): void {
  const { dialogue, tally, requestOf } = reading;
  const request = requestOf(message);
  addCompaction(reading, request?.compaction);
  const output = request?.event.output;
  const step = dialogue.addStep({
    createdAt: toTime(request?.event.timestamp),
    recordedId: message.id,
    parts: toContentParts(message.content, tally),
    model: request?.event.model,
    finish: toEarlyFinish(output?.choices[0]?.stop_reason),
    usage: toUsage(output),
  });
  for (const { id: callId, function: tool = 'unknown', arguments: input } of message.tool_calls) {
    dialogue.addCall(step, { callId, tool, input: toInput(input, tally) });
  }
}

/** Adds the compaction before a step; its summary may be the only trace of it. */
function addCompaction(reading: Reading, compacted: Compacted | undefined): void {
  const { compactions, dialogue, summary } = reading;
  reading.summary = undefined;
  const messageIndex = dialogue.drafts.length;
  if (messageIndex === 0 || (compacted === undefined && summary === undefined)) return;
  const { tokens_before: before, tokens_after: after, type } = compacted?.event ?? {};
  const summaryUsage = summary === undefined ? undefined : toUsage(compacted?.summary?.output);
  compactions.push({
    kind: type === EDIT ? 'micro' : 'full',
    messageIndex,
    ...(before !== undefined && { tokensBefore: before }),
    ...(after !== undefined && { tokensAfter: after }),
    ...(summary !== undefined && { summary }),
    ...(summaryUsage !== undefined && { summaryUsage: withoutMark(summaryUsage) }),
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

function readResult({ dialogue, tally }: Reading, message: InspectMessage): void {
  const { content, error, function: tool, tool_call_id: key } = message;
  const files = toContentParts(content, tally).flatMap((part): readonly FilePart[] =>
    part.type === 'file' ? [{ ...part, id: '' }] : [],
  );
  const output = textOf(content) || (error?.message ?? '');
  const result = { key, tool, output, isError: error !== undefined, attachments: files };
  if (!dialogue.finishCall(result)) tally.drop('tool result without a call');
}

function toContentParts(content: unknown, tally: Tally): DraftPart[] {
  return piecesOf(content).flatMap((piece) => toPart(piece, tally));
}

function piecesOf(content: unknown): readonly Fields[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content);
  return values.map((value) => (isObject(value) ? value : {}));
}

function toPart(piece: Fields, tally: Tally): readonly DraftPart[] {
  const { type, text: said, reasoning, redacted, image } = piece;
  const [text, thought, url] = [toText(said), toText(reasoning), toText(image)];
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  // A redacted thought is a signature.
  if (thought !== undefined) {
    return thought === '' || redacted === true ? [] : [{ type: 'reasoning', text: thought }];
  }
  if (url !== undefined) return [{ type: 'file', mime: mimeIn(url) ?? 'image/*', url }];
  if (type !== 'tool_use' && type !== 'data') tally.drop('unknown content part');
  return [];
}

function textOf(content: unknown): string {
  return piecesOf(content)
    .flatMap(({ text }) => toText(text) ?? [])
    .join('\n');
}
