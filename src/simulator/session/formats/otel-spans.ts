import { groupBy } from '../../lib/collections.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { contextTokensOf } from '../session.ts';
import * as otel from './otel-messages.ts';

/** Requests of which each goes on with the one before, and all spans around them. */
interface Thread {
  readonly requests: readonly Request[];
  readonly spans: readonly Span[];
  readonly isSide: boolean;
}

type Span = ReturnType<typeof toSpan>;
type Request = ReturnType<typeof requestsIn>[number];
type Told = Parameters<Recording['readStep']>[0];

const MARKS = /gen_ai|"ai[."]|"llm[."]/;
const HOLDERS = 'resourceSpans scopeSpans instrumentationLibrarySpans batches spans'.split(' ');
const TRACE = 'traceId trace_id context.trace_id context.traceId spanContext.traceId';
/** Names of conversations, which hold over several traces. */
const CONVERSATIONS =
  'gen_ai.conversation.id session.id ai.telemetry.metadata.sessionId traceloop.association.properties.session_id';
/** Operations that ask a model. Source: OpenTelemetry's GenAI conventions, `gen_ai.operation.name`. */
const INFERENCES = new Set(['chat', 'generate_content', 'text_completion']);
const FINISHES = 'ai.response.finishReason ai.finishReason gen_ai.completion.0.finish_reason';
const NANO_PER_MS = 1e6;

/** Spans of requests to models with their messages, by the conventions of OpenTelemetry and of others. */
export const otelSpans: SessionFormat = {
  label: 'OpenTelemetry spans of model requests (JSON)',
  detect: (file) =>
    MARKS.test(file.text) &&
    spansIn(file).some(
      ({ attributes: own }) => own.has('gen_ai') || own.has('llm') || own.has('ai'),
    ),
  read: readRecordings({
    empty: `spans without messages, which need one of the attributes ${otel.NEEDED.join(', ')}`,
    items: (file, tally) => {
      kit.countLineFaults(file.lines(), tally);
      const spans = spansIn(file).toSorted((one, other) => one.startMs - other.startMs);
      const traces = groupBy(spans, ({ conversation }) => conversation);
      return [...traces.values()].flatMap(threadsOf);
    },
    read: readThread,
  }),
};

function spansIn(file: SourceFile) {
  const find = (value: unknown): kit.Objects =>
    kit.objectsIn([value].flat()).flatMap((one) => {
      const isSpan = kit.valueAt(one, TRACE) !== undefined && 'attributes' in one;
      return isSpan ? [one] : HOLDERS.flatMap((name) => find(one[name]));
    });
  return find(file.lines().records.flat()).map(toSpan);
}

function toSpan(span: kit.Fields) {
  const attributes = otel.toAttributes(span['attributes']);
  const [start] = [kit.valueAt(span, 'startTime start_time timestamp')].flat();
  const nano = kit.valueAt(span, 'startTimeUnixNano start_time_unix_nano');
  const isNano = typeof nano === 'string' || typeof nano === 'number';
  const startMs = isNano ? Math.floor(Number(nano) / NANO_PER_MS) || 0 : kit.toTime(start);
  const trace = kit.toText(kit.valueAt(span, TRACE));
  return { attributes, startMs, conversation: otel.textAt(attributes, CONVERSATIONS) ?? trace };
}

/** The threads of a conversation, the longest first; those of its sub-agents have another system prompt. */
function threadsOf(spans: readonly Span[]): readonly Thread[] {
  const threads: Request[][] = [];
  for (const request of requestsIn(spans)) {
    const own =
      threads.findLast(([first]) => toJsonText(first?.system) === toJsonText(request.system)) ??
      threads.findLast((thread) => isLonger(request, thread.at(-1)));
    if (own === undefined) threads.push([request]);
    else own.push(request);
  }
  const sorted = threads.toSorted((one, other) => other.length - one.length);
  return sorted.map((requests, index) => ({ requests, spans, isSide: index > 0 }));
}

function requestsIn(spans: readonly Span[]) {
  const all = spans.flatMap(({ attributes, startMs }) => {
    const operation = otel.textAt(attributes, 'gen_ai.operation.name') ?? 'chat';
    const kind = otel.textAt(attributes, 'openinference.span.kind') ?? 'LLM';
    const isAsked = INFERENCES.has(operation) && kind === 'LLM';
    const exchange = isAsked ? otel.exchangeIn(attributes) : undefined;
    return exchange ? [{ attributes, startMs, ...exchange, keys: exchange.sent.map(keyOf) }] : [];
  });
  const inner = all.filter(({ isOuter }) => !isOuter);
  return inner.length > 0 ? inner : all;
}

/** A message without what a later request may have in another form, such as thoughts. */
function keyOf({ role, content, calls, results }: otel.SpanMessage): string {
  const texts = content.map(({ text }) => kit.toText(text)?.trim() ?? '').join('');
  const ids = calls.map(({ id, name }) => id ?? name);
  return toJsonText([role, ids.length > 0 ? ids : texts, results]);
}

/** Tests if a request sends more than all that an earlier one sent. */
function isLonger({ keys }: Request, before: Request | undefined) {
  const least = before?.keys.length ?? keys.length;
  return keys.length > least && before?.keys.every((key, at) => key === keys[at]) === true;
}

function readThread(recording: Recording, { requests, spans, isSide }: Thread): Facts {
  let open: Told = {};
  for (const [index, request] of requests.entries()) {
    const { attributes, startMs: time, answered } = request;
    const [finish] = kit.toList(otel.valueAt(attributes, 'gen_ai.response.finish_reasons'));
    const told = {
      time,
      usage: otel.usageIn(attributes),
      model: otel.modelIn(attributes),
      finish: otel.textAt(attributes, FINISHES) ?? finish,
    };
    const added = readChanges(recording, requests[index - 1], request);
    for (const [at, message] of added.entries())
      readMessage(recording, message, at === 0 ? open : {});
    for (const message of answered) readMessage(recording, message, told);
    // An answer that was not recorded stands in the next request.
    open = answered.length === 0 ? told : {};
  }
  if (open.usage !== undefined) recording.readStep(open);
  for (const result of spans.flatMap(({ attributes }) => otel.resultIn(attributes) ?? []))
    if (recording.hasOpenCall(kit.toId(result.id))) recording.readResult(result);
  const system = [...new Set(requests.flatMap((request) => request.system))].join('\n\n');
  return { system: system || undefined, isSide, isOutputFinal: true };
}

/** The messages that a request adds. One that no longer begins as the one before follows a compaction. */
function readChanges(recording: Recording, before: Request | undefined, request: Request) {
  const { sent, keys, attributes } = request;
  if (before === undefined) return sent;
  const known = [...before.sent, ...before.answered];
  const knownKeys = known.map(keyOf);
  if (isLonger(request, before)) {
    const isTold = sent[before.sent.length]?.role === 'assistant' && before.answered.length > 0;
    return sent.slice(before.sent.length + (isTold ? 1 : 0));
  }
  const added = sent.filter((_, at) => !knownKeys.includes(keys[at] ?? ''));
  const changed = known.filter((_, at) => keys[at] !== knownKeys[at]);
  if (changed.length === 0) return added;
  if (changed.every(({ results }) => results.length > 0) && sent.length >= known.length) {
    // Outputs were cleared in place.
    const ids = changed.flatMap(({ results }) => results.flatMap(({ id }) => kit.toId(id) ?? []));
    recording.addCompaction({ kind: 'micro', clearedCallIds: ids });
    return added.filter(({ results }) =>
      results.every(({ id }) => !ids.includes(kit.toId(id) ?? '')),
    );
  }
  const [summary, ...rest] = added;
  const usage = otel.usageIn(attributes);
  const tokensAfter = usage && contextTokensOf(usage);
  recording.addCompaction({ tokensAfter, summary: kit.textOf(summary?.content) });
  return rest;
}

function readMessage(recording: Recording, message: otel.SpanMessage, told: Told): void {
  const { role, content, calls, results } = message;
  for (const result of results) recording.readResult(result);
  if (role === 'assistant') recording.readStep({ ...told, content, calls });
  else if (results.length === 0 || content.length > 0) recording.readPrompt({ content });
}
