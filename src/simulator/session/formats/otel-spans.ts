import { isObject, parseJson } from '../../lib/json.ts';
import { groupBy } from '../../lib/collections.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { toList, toModelName, toText } from '../reading/lenient.ts';
import { countLineFaults, createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishSession,
  type RecordedUsage,
  withMessages,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';

/** A span with its attributes as plain values. */
interface Span {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** In nanoseconds; texts of digits, which are too long for numbers. */
  readonly startNano: bigint;
  readonly traceId: string;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** Messages of the newest request and its answer. */
  known: readonly SpanMessage[];
  readonly systems: Set<string>;
}

/** One message as the conventions have it. */
interface SpanMessage {
  readonly role: string;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

const MARK = 'gen_ai.';
const NANO_PER_MS = 1_000_000n;
/** Operations that ask a model. Source: OpenTelemetry's GenAI conventions, `gen_ai.operation.name`. */
const INFERENCES = new Set(['chat', 'generate_content', 'text_completion']);
const DIGITS = /^\d+$/;

/** Spans of OpenTelemetry's GenAI conventions in OTLP's JSON, whole or line by line: a request a span, with its messages. */
export const otelSpans: SessionFormat = {
  label: 'OpenTelemetry GenAI spans (OTLP JSON)',
  certainty: 'mark',
  detect: (file) => spansIn(file).some(isInference),
  read: readTraces,
};

function readTraces(file: SourceFile): readonly Session[] {
  const spans = spansIn(file).filter(isInference).toSorted(byStart);
  const threads = [...groupBy(spans, conversationOf).values()];
  const sessions = threads.map((thread, index) => {
    const tally = createTally();
    if (index === 0) countLineFaults(file.lines(), tally);
    const name = sessionName(file.name, { index, count: threads.length });
    return { name, ...toSession(thread, tally) };
  });
  return withMessages(sessions, file.name, 'spans without messages');
}

/** All spans of a document or of its lines, wherever they lie in it. */
function spansIn(file: SourceFile): readonly Span[] {
  if (!file.text.includes(MARK)) return [];
  return file.lines().records.flatMap((record) =>
    toList(isObject(record) ? record['resourceSpans'] : undefined)
      .flatMap((resource) => toList(isObject(resource) ? resource['scopeSpans'] : undefined))
      .flatMap((scope) => toList(isObject(scope) ? scope['spans'] : undefined))
      .flatMap(toSpan),
  );
}

function toSpan(value: unknown): readonly Span[] {
  if (!isObject(value)) return [];
  const pairs = toList(value['attributes']).flatMap((one) =>
    isObject(one) && typeof one['key'] === 'string' ? [[one['key'], plainOf(one['value'])]] : [],
  );
  return [
    {
      attributes: Object.fromEntries(pairs),
      startNano: toNano(value['startTimeUnixNano']),
      traceId: toText(value['traceId']) ?? '',
    },
  ];
}

function plainOf(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const { arrayValue, kvlistValue, intValue } = value;
  if (isObject(arrayValue)) return toList(arrayValue['values']).map(plainOf);
  if (isObject(kvlistValue)) {
    const pairs = toList(kvlistValue['values']).filter(isObject);
    return Object.fromEntries(
      pairs.map((pair) => [toText(pair['key']) ?? '', plainOf(pair['value'])]),
    );
  }
  if (intValue !== undefined) return toNumber(intValue);
  return value['stringValue'] ?? value['boolValue'] ?? value['doubleValue'];
}

/** Whole numbers of 64 bits are texts in OTLP. */
function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : undefined;
}

function toNano(value: unknown): bigint {
  const text = typeof value === 'number' ? `${value}` : (toText(value) ?? '');
  return DIGITS.test(text) ? BigInt(text) : 0n;
}

function isInference({ attributes }: Span): boolean {
  const operation = toText(attributes['gen_ai.operation.name']) ?? 'chat';
  return INFERENCES.has(operation) && 'gen_ai.input.messages' in attributes;
}

function byStart(one: Span, other: Span): number {
  return one.startNano < other.startNano ? -1 : one.startNano > other.startNano ? 1 : 0;
}

function conversationOf({ attributes, traceId }: Span): string {
  return toText(attributes['gen_ai.conversation.id']) ?? traceId;
}

function toSession(spans: readonly Span[], tally: Tally): Omit<Session, 'name'> {
  const dialogue = createDialogue(tally);
  const reading: Reading = { tally, dialogue, compactions: [], known: [], systems: new Set() };
  for (const span of spans) readSpan(span, reading);
  const drafts = dialogue.end();
  return {
    format: 'otel-spans',
    isSide: false,
    isPartial: false,
    ...(reading.systems.size > 0 && { system: [...reading.systems].join('\n\n') }),
    recordedCompactions: reading.compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** Takes what a request has beyond the one before it. One that no longer begins as that one did follows a compaction. */
function readSpan({ attributes, ...times }: Span, reading: Reading): void {
  const sent = messagesIn(attributes['gen_ai.input.messages']);
  const answered = messagesIn(attributes['gen_ai.output.messages']);
  for (const text of textsOf(attributes['gen_ai.system_instructions'])) reading.systems.add(text);
  const known = new Set(reading.known.map(toJsonText));
  const added = sent.filter((message) => !known.has(toJsonText(message)));
  const changed = reading.known.filter(
    (message, at) => toJsonText(sent[at]) !== toJsonText(message),
  );
  if (changed.length === 0) readMessages(added, reading);
  else if (changed.every(isResult) && sent.length >= reading.known.length)
    readMessages(clear(changed, added, reading), reading);
  else readMessages(summarise(added, attributes, reading), reading);
  const usage = usageOf(attributes);
  const createdAt = Number(times.startNano / NANO_PER_MS);
  for (const message of answered) {
    readAnswer(message, { createdAt, usage, model: modelOf(attributes) }, reading);
  }
  reading.known = [...sent, ...answered];
}

/** Notes outputs that were cleared in place, and gives what is new. */
function clear(
  changed: readonly SpanMessage[],
  added: readonly SpanMessage[],
  { compactions, dialogue }: Reading,
): readonly SpanMessage[] {
  const ids = changed.flatMap(({ parts }) => parts.flatMap(({ id }) => toText(id) ?? []));
  const messageIndex = dialogue.drafts.length;
  compactions.push({ kind: 'micro', messageIndex, clearedCallIds: ids });
  return added.filter(
    (message) =>
      !isResult(message) || !message.parts.some(({ id }) => ids.includes(toText(id) ?? '')),
  );
}

/** Notes a summary, which is the first message that is new, and gives the rest. */
function summarise(
  [first, ...rest]: readonly SpanMessage[],
  attributes: Span['attributes'],
  { compactions, dialogue }: Reading,
): readonly SpanMessage[] {
  const summary = first === undefined ? '' : textsOf(first.parts).join('\n');
  const tokensAfter = toNumber(attributes['gen_ai.usage.input_tokens']) ?? Number.NaN;
  compactions.push({
    kind: 'full',
    messageIndex: dialogue.drafts.length,
    ...(Number.isFinite(tokensAfter) && { tokensAfter }),
    ...(summary !== '' && { summary }),
  });
  return rest;
}

function readMessages(messages: readonly SpanMessage[], reading: Reading): void {
  for (const message of messages) {
    if (isResult(message)) readResults(message, reading);
    else if (message.role === 'assistant') readAnswer(message, { createdAt: 0 }, reading);
    else if (message.role === 'system')
      for (const text of textsOf(message.parts)) reading.systems.add(text);
    else
      reading.dialogue.addPrompt({ createdAt: 0, parts: textsOf(message.parts).map(toTextPart) });
  }
}

function readAnswer(
  { parts }: SpanMessage,
  step: Pick<DraftMessage, 'createdAt' | 'model' | 'usage'>,
  { dialogue, tally }: Reading,
): void {
  const said = parts.flatMap((part): DraftPart[] => {
    const text = toText(part['content']);
    if (text === undefined) return [];
    return [{ type: part['type'] === 'reasoning' ? 'reasoning' : 'text', text }];
  });
  const draft = dialogue.addStep({ ...step, parts: said });
  for (const { type, id, name, arguments: input } of parts) {
    if (type !== 'tool_call') continue;
    const tool = toText(name) ?? 'unknown';
    dialogue.addCall(draft, { callId: toText(id), tool, input: toInput(input, tally) });
  }
}

function readResults({ parts }: SpanMessage, { dialogue, tally }: Reading): void {
  for (const { type, id, response, result } of parts) {
    if (type !== 'tool_call_response') continue;
    const value = response ?? result;
    const output = toText(value) ?? toJsonText(value);
    if (!dialogue.finishCall({ key: toText(id), output })) tally.drop('tool result without a call');
  }
}

function isResult({ parts }: SpanMessage): boolean {
  return parts.some(({ type }) => type === 'tool_call_response');
}

/** Messages as values or as JSON, which attributes of spans usually are. */
function messagesIn(value: unknown): readonly SpanMessage[] {
  return listIn(value).flatMap((message) => {
    if (!isObject(message)) return [];
    const role = toText(message['role']) ?? '';
    return [{ role, parts: toList(message['parts']).filter(isObject) }];
  });
}

function listIn(value: unknown): readonly unknown[] {
  return toList(typeof value === 'string' ? parseJson(value) : value);
}

/** Texts of parts, as messages and instructions have them. */
function textsOf(parts: unknown): readonly string[] {
  return listIn(parts).flatMap((part) => (isObject(part) ? (toText(part['content']) ?? []) : []));
}

function toTextPart(text: string): DraftPart {
  return { type: 'text', text };
}

function usageOf(attributes: Span['attributes']): RecordedUsage | undefined {
  const of = (name: string) => {
    const count = attributes[`gen_ai.usage.${name}`];
    return typeof count === 'number' && count >= 0 ? count : undefined;
  };
  return splitCount({
    input: of('input_tokens'),
    output: of('output_tokens'),
    reasoning: of('reasoning.output_tokens'),
    cacheRead: of('cache_read.input_tokens') ?? of('cache_read_input_tokens'),
    cacheWrite: of('cache_creation.input_tokens') ?? of('cache_write.input_tokens'),
  });
}

function modelOf(attributes: Span['attributes']): string | undefined {
  const model = toText(attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model']);
  const provider = toText(attributes['gen_ai.provider.name'] ?? attributes['gen_ai.system']);
  return model && toModelName(model, provider);
}
