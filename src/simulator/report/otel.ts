/** Runs as OpenTelemetry spans in OTLP's JSON, with the attributes of the GenAI conventions, and no texts. */

import { createHash } from 'node:crypto';
import type { RunRecord } from '../metrics/record.ts';
import type { RunEvent } from '../events.ts';
import { jsonText } from './markup.ts';
import type { Format } from './report.ts';

interface Timed {
  readonly event: Extract<RunEvent, { readonly type: 'step-end' | 'summary-end' }>;
  readonly startMs: number;
  /** A summary has taken the place of history before it. */
  readonly isCompacted: boolean;
}

type Value = string | number | boolean;

const CLIENT = 3;
const NANO_PER_MS = 1_000_000n;
const TRACE_ID_CHARS = 32;
const SPAN_ID_CHARS = 16;

/** Spans, one a request; those behind a pivot are marked `gen_ai.conversation.compacted`. */
export const otel: Format = {
  extension: '.otlp',
  describes: "OpenTelemetry spans in OTLP's JSON, one a request, for tracing tools.",
  needsEvents: true,
  render: (report, { eventsOf }) => {
    const spans = report.runs.flatMap((run) => spansOf(run, eventsOf?.(run) ?? []));
    const scope = { name: 'compaction-bench' };
    const resource = { attributes: attributesOf({ 'service.name': 'compaction-bench' }) };
    return jsonText({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
  },
};

function spansOf(run: RunRecord, events: readonly RunEvent[]) {
  const { session, policy, model, summarizer, seed } = run;
  const trace = hexOf(JSON.stringify([session, policy, model, summarizer, seed]), TRACE_ID_CHARS);
  return timed(events).map((one, index) => ({
    traceId: trace,
    spanId: hexOf(`${trace} ${index}`, SPAN_ID_CHARS),
    name: `chat ${nameOf(model)}`,
    kind: CLIENT,
    startTimeUnixNano: nano(one.startMs),
    endTimeUnixNano: nano(one.startMs + one.event.latencyMs),
    attributes: attributesOf(describe(one, run)),
  }));
}

/** Requests in their order. Time begins at 0: a replay has none of its own. */
function timed(events: readonly RunEvent[]) {
  const requests: Timed[] = [];
  let startMs = 0;
  let isCompacted = false;
  for (const event of events) {
    if (event.type === 'pivot') isCompacted = true;
    if (event.type !== 'step-end' && event.type !== 'summary-end') continue;
    requests.push({ event, startMs, isCompacted: isCompacted && event.type === 'step-end' });
    startMs += event.latencyMs;
  }
  return requests;
}

function describe({ event, isCompacted }: Timed, { session, policy, model }: RunRecord) {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': freshTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    // The conventions say it where it is so, and nothing where it is not.
    ...(isCompacted && { 'gen_ai.conversation.compacted': true }),
    ...(event.type === 'summary-end'
      ? { 'compaction_bench.request': 'summary' }
      : { 'compaction_bench.step': event.step }),
    'gen_ai.conversation.id': session,
    'gen_ai.provider.name': model.split('/', 1)[0] ?? model,
    'gen_ai.request.model': nameOf(model),
    'compaction_bench.policy': policy,
  };
}

function nameOf(model: string) {
  return model.slice(model.indexOf('/') + 1);
}

function attributesOf(values: Readonly<Record<string, Value>>) {
  return Object.entries(values).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    if (typeof value === 'boolean') return { key, value: { boolValue: value } };
    return { key, value: { intValue: `${value}` } };
  });
}

function nano(timeMs: number) {
  return `${BigInt(Math.round(timeMs)) * NANO_PER_MS}`;
}

function hexOf(text: string, chars: number) {
  return createHash('sha256').update(text).digest('hex').slice(0, chars);
}
