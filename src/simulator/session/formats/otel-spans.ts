import { groupBy } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { type DraftMessage, type RecordedUsage, splitCount } from '../reading/transcript.ts';

interface Span {
  readonly attributes: kit.Fields;
  /** In nanoseconds; texts of digits, which are too long for numbers. */
  readonly startNano: bigint;
  readonly conversation: string;
}

interface SpanMessage {
  readonly role: unknown;
  readonly parts: readonly kit.Fields[];
}

const MARK = 'gen_ai.';
const NANO_PER_MS = 1_000_000n;
/** Operations that ask a model. Source: OpenTelemetry's GenAI conventions, `gen_ai.operation.name`. */
const INFERENCES = new Set(['chat', 'generate_content', 'text_completion']);
const DIGITS = /^\d+$/;

/** Spans of OpenTelemetry's GenAI conventions in OTLP's JSON: a request a span, with its messages. */
export const otelSpans: SessionFormat = {
  label: 'OpenTelemetry GenAI spans (OTLP JSON)',
  detect: (file) => requestsIn(file).length > 0,
  read: readRecordings({
    empty: 'spans without messages',
    items: (file, tally) => {
      const spans = requestsIn(file).toSorted((one, other) =>
        one.startNano < other.startNano ? -1 : Number(one.startNano > other.startNano),
      );
      kit.countLineFaults(file.lines(), tally);
      return [...groupBy(spans, ({ conversation }) => conversation).values()];
    },
    read: readThread,
  }),
};

function requestsIn(file: SourceFile): readonly Span[] {
  if (!file.text.includes(MARK)) return [];
  return kit
    .objectsIn(file.lines().records)
    .flatMap(({ resourceSpans }) => kit.objectsIn(resourceSpans))
    .flatMap(({ scopeSpans }) => kit.objectsIn(scopeSpans))
    .flatMap(({ spans }) => kit.objectsIn(spans))
    .flatMap(toRequest);
}

function toRequest({ attributes: told, startTimeUnixNano: start, traceId }: kit.Fields) {
  const attributes = plainFields(told);
  const operation = kit.toText(attributes['gen_ai.operation.name']) ?? 'chat';
  if (!INFERENCES.has(operation) || !('gen_ai.input.messages' in attributes)) return [];
  const digits = typeof start === 'number' ? `${start}` : (kit.toText(start) ?? '');
  const conversation =
    kit.toText(attributes['gen_ai.conversation.id']) ?? kit.toText(traceId) ?? '';
  return [{ attributes, startNano: DIGITS.test(digits) ? BigInt(digits) : 0n, conversation }];
}

function plainFields(pairs: unknown): kit.Fields {
  return Object.fromEntries(
    kit
      .objectsIn(pairs)
      .flatMap(({ key, value }) => (typeof key === 'string' ? [[key, plainOf(value)]] : [])),
  );
}

function plainOf(value: unknown): unknown {
  const { arrayValue, kvlistValue, intValue, ...scalar } = kit.fieldsOf(value);
  if (isObject(arrayValue)) return kit.toList(arrayValue['values']).map(plainOf);
  if (isObject(kvlistValue)) return plainFields(kvlistValue['values']);
  if (intValue !== undefined) return toNumber(intValue);
  return scalar['stringValue'] ?? scalar['boolValue'] ?? scalar['doubleValue'];
}

/** Whole numbers of 64 bits are texts in OTLP. */
function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : undefined;
}

function readThread(recording: Recording, spans: readonly Span[]): Facts {
  const systems = new Set<string>();
  let known: readonly SpanMessage[] = [];
  for (const { attributes, startNano } of spans) {
    const sent = messagesIn(attributes['gen_ai.input.messages']);
    const answered = messagesIn(attributes['gen_ai.output.messages']);
    const added = readChanges(recording, attributes, { known, sent });
    const said = added.filter((message) => message.role !== 'system' || isResult(message));
    const told = added.filter((message) => !said.includes(message));
    const instructions = attributes['gen_ai.system_instructions'];
    for (const text of [
      ...textsOf(listIn(instructions)),
      ...told.flatMap(({ parts }) => textsOf(parts)),
    ])
      systems.add(text);
    for (const message of said) readMessage(recording, message);
    const { 'gen_ai.response.model': own, 'gen_ai.request.model': asked } = attributes;
    const { 'gen_ai.provider.name': provider, 'gen_ai.system': system } = attributes;
    for (const message of answered) {
      readAnswer(recording, message, {
        time: Number(startNano / NANO_PER_MS),
        usage: usageOf(attributes),
        model: kit.toModel(own ?? asked, provider ?? system),
      });
    }
    known = [...sent, ...answered];
  }
  return { system: [...systems].join('\n\n') || undefined, isOutputFinal: true };
}

/** A request that no longer begins as the one before follows a compaction. */
function readChanges(
  recording: Recording,
  attributes: kit.Fields,
  { known, sent }: Readonly<Record<'known' | 'sent', readonly SpanMessage[]>>,
): readonly SpanMessage[] {
  const knownTexts = new Set(known.map(toJsonText));
  const added = sent.filter((message) => !knownTexts.has(toJsonText(message)));
  const changed = known.filter((message, at) => toJsonText(sent[at]) !== toJsonText(message));
  if (changed.length === 0) return added;
  if (changed.every(isResult) && sent.length >= known.length) {
    // Outputs were cleared in place.
    const ids = changed.flatMap(({ parts }) => parts.flatMap(({ id }) => kit.toText(id) ?? []));
    recording.addCompaction({ kind: 'micro', clearedCallIds: ids });
    const isCleared = ({ id }: kit.Fields) => ids.includes(kit.toText(id) ?? '');
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
  const { role, parts } = message;
  if (isResult(message)) {
    for (const { type, id, result, response = result } of parts) {
      if (type === 'tool_call_response') recording.readResult({ id, content: response });
    }
  } else if (role === 'assistant') readAnswer(recording, message);
  else recording.readPrompt({ content: textsOf(parts) });
}

function readAnswer(
  recording: Recording,
  { parts }: SpanMessage,
  step: Partial<Pick<DraftMessage, 'model' | 'usage'>> & { readonly time?: number } = {},
) {
  recording.readStep({
    ...step,
    content: parts.flatMap(({ type, content }) => {
      if (typeof content !== 'string') return [];
      return [type === 'reasoning' ? { thinking: content } : { text: content }];
    }),
    calls: parts.filter(({ type }) => type === 'tool_call'),
  });
}

function isResult({ parts }: SpanMessage) {
  return parts.some(({ type }) => type === 'tool_call_response');
}

function messagesIn(value: unknown): readonly SpanMessage[] {
  return listIn(value).map(({ role, parts }) => ({ role, parts: kit.objectsIn(parts) }));
}

function listIn(value: unknown): readonly kit.Fields[] {
  return kit.objectsIn(typeof value === 'string' ? parseJson(value) : value);
}

function textsOf(parts: readonly kit.Fields[]): readonly string[] {
  return parts.flatMap(({ content }) => kit.toText(content) ?? []);
}

function usageOf(attributes: kit.Fields): RecordedUsage | undefined {
  const of = (...names: readonly string[]) => {
    const counts = names.map((name) => attributes[`gen_ai.usage.${name}`]);
    return counts.filter((count) => typeof count === 'number').find((count) => count >= 0);
  };
  return splitCount({
    input: of('input_tokens'),
    output: of('output_tokens'),
    reasoning: of('reasoning.output_tokens'),
    cacheRead: of('cache_read.input_tokens', 'cache_read_input_tokens'),
    cacheWrite: of('cache_creation.input_tokens', 'cache_write.input_tokens'),
  });
}
