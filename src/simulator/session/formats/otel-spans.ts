import { isObject, parseJson } from '../../lib/json.ts';
import { groupBy } from '../../lib/collections.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { Block } from '../reading/content.ts';
import { toList, toModelName, toText } from '../reading/lenient.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { countLineFaults, createTally, toInput } from '../reading/tally.ts';
import type { DraftMessage, DraftPart, RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

/** A span with its attributes as plain values. */
interface Span {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** In nanoseconds; texts of digits, which are too long for numbers. */
  readonly startNano: bigint;
  readonly traceId: string;
}

/** One message as the conventions have it. */
interface SpanMessage {
  readonly role: string;
  readonly parts: readonly Block[];
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
  const tally = createTally();
  countLineFaults(file.lines(), tally);
  return readRecordings(file, [...groupBy(spans, conversationOf).values()], {
    format: 'otel-spans',
    empty: 'spans without messages',
    tally,
    read: readThread,
  });
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

function readThread(recording: Recording, spans: readonly Span[]): Facts {
  const systems = new Set<string>();
  let known: readonly SpanMessage[] = [];
  for (const span of spans) {
    const { attributes, startNano } = span;
    const sent = messagesIn(attributes['gen_ai.input.messages']);
    const answered = messagesIn(attributes['gen_ai.output.messages']);
    const added = readChanges(recording, span, { known, sent });
    const instructions = textsOf(attributes['gen_ai.system_instructions']);
    const told = added.filter(isOfSystem).flatMap(({ parts }) => textsOf(parts));
    for (const text of [...instructions, ...told]) systems.add(text);
    for (const message of added) if (!isOfSystem(message)) readMessage(recording, message);
    const step = {
      createdAt: Number(startNano / NANO_PER_MS),
      usage: usageOf(attributes),
      model: modelOf(attributes),
    };
    for (const message of answered) readAnswer(recording, message, step);
    known = [...sent, ...answered];
  }
  return { system: [...systems].join('\n\n') || undefined, isOutputFinal: true };
}

/** Gives the messages that a request has beyond the one before it. One that no longer begins as that one did follows a compaction. */
function readChanges(
  recording: Recording,
  { attributes }: Span,
  { known, sent }: Readonly<Record<'known' | 'sent', readonly SpanMessage[]>>,
): readonly SpanMessage[] {
  const knownTexts = new Set(known.map(toJsonText));
  const added = sent.filter((message) => !knownTexts.has(toJsonText(message)));
  const changed = known.filter((message, at) => toJsonText(sent[at]) !== toJsonText(message));
  if (changed.length === 0) return added;
  if (changed.every(isResult) && sent.length >= known.length) {
    // Outputs were cleared in place.
    const ids = changed.flatMap(({ parts }) => parts.flatMap(({ id }) => toText(id) ?? []));
    recording.addCompaction({ kind: 'micro', clearedCallIds: ids });
    const isCleared = ({ id }: Block) => ids.includes(toText(id) ?? '');
    return added.filter((message) => !isResult(message) || !message.parts.some(isCleared));
  }
  const [summary, ...rest] = added;
  const tokensAfter = toNumber(attributes['gen_ai.usage.input_tokens']) ?? Number.NaN;
  recording.addCompaction({
    tokensAfter: Number.isFinite(tokensAfter) ? tokensAfter : undefined,
    summary: summary && textsOf(summary.parts).join('\n'),
  });
  return rest;
}

function readMessage(recording: Recording, message: SpanMessage): void {
  if (isResult(message)) {
    for (const { type, id, response, result } of message.parts) {
      if (type !== 'tool_call_response') continue;
      const value = response ?? result;
      const told = { key: toText(id), output: toText(value) ?? toJsonText(value) };
      if (!recording.finishCall(told)) recording.tally.drop('tool result without a call');
    }
  } else if (message.role === 'assistant') readAnswer(recording, message, { createdAt: 0 });
  else {
    const parts = textsOf(message.parts).map((text) => ({ type: 'text' as const, text }));
    recording.addPrompt({ createdAt: 0, parts });
  }
}

function readAnswer(
  recording: Recording,
  { parts }: SpanMessage,
  step: Pick<DraftMessage, 'createdAt' | 'model' | 'usage'>,
): void {
  const said = parts.flatMap((part): DraftPart[] => {
    const text = toText(part['content']);
    if (text === undefined) return [];
    return [{ type: part['type'] === 'reasoning' ? 'reasoning' : 'text', text }];
  });
  const draft = recording.addStep({ ...step, parts: said });
  for (const { type, id, name, arguments: args } of parts) {
    if (type !== 'tool_call') continue;
    const input = toInput(args, recording.tally);
    recording.addCall(draft, { callId: toText(id), tool: toText(name) ?? 'unknown', input });
  }
}

/** Results may come under any role. */
function isOfSystem(message: SpanMessage): boolean {
  return message.role === 'system' && !isResult(message);
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
