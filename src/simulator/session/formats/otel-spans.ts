import { groupBy } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { isTooDeep, toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { ToldResult } from '../reading/dialogue.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { countKinds, splitCount } from '../reading/transcript.ts';
import { contextTokensOf } from '../session.ts';
import { toBlock, toSentResult } from './ai-sdk.ts';

/** Attributes of a span by the words of their names; the value of one that has others below it stands under ''. */
type Attributes = Map<string, unknown>;

/** A message of a request; one with results is the answer of tools. */
interface SpanMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: kit.Objects;
  readonly calls: kit.Objects;
  readonly results: readonly ToldResult[];
}

/** Requests of which each goes on with the one before, and all spans around them. */
interface Thread {
  readonly requests: readonly Request[];
  readonly spans: readonly Span[];
  readonly isSide: boolean;
}

type Span = ReturnType<typeof toSpan>;
type Request = ReturnType<typeof requestsIn>[number];
type Told = Parameters<Recording['readStep']>[0];

const RESPONSE = 'ai.response';
const OUTER = 'ai.prompt';
/** Attributes with what a request sent and what came back, by convention; the first that has messages holds. */
const CONVENTIONS = [
  ['gen_ai.input.messages', 'gen_ai.output.messages'],
  ['ai.prompt.messages', RESPONSE],
  ['llm.input_messages', 'llm.output_messages'],
  ['gen_ai.prompt', 'gen_ai.completion'],
  [OUTER, RESPONSE],
] as const;

const NEEDED = CONVENTIONS.slice(0, -1).map(([sent]) => sent);

const MODEL =
  'gen_ai.response.model ai.response.model gen_ai.request.model llm.model_name ai.model.id';
const PROVIDER = 'gen_ai.provider.name gen_ai.system ai.model.provider llm.provider llm.system';
/** APIs that the AI SDK appends to the names of providers. */
const API = /\.(?:chat|completion|generative-ai|messages|responses)$/;
const STEP_ROLES = kit.wordsIn('ai assistant model thinking');
const SYSTEM_ROLES = kit.wordsIn('developer system');
const TOOL_ROLES = kit.wordsIn('function tool');
const CALL = /^(?:tool|function)[_-](?:call|use)$/;
const RESULT = /^(?:tool|function)[_-](?:call[_-])?(?:response|result|output)$/;
const THOUGHT = /^(?:reasoning|thinking)$/;
const NUMBER = /^\d+$/;

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
    empty: `spans without messages, which need one of the attributes ${NEEDED.join(', ')}`,
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
  const attributes = toAttributes(span['attributes']);
  const [start] = [kit.valueAt(span, 'startTime start_time timestamp')].flat();
  const nano = kit.valueAt(span, 'startTimeUnixNano start_time_unix_nano');
  const isNano = typeof nano === 'string' || typeof nano === 'number';
  const startMs = isNano ? Math.floor(Number(nano) / NANO_PER_MS) || 0 : kit.toTime(start);
  const trace = kit.toText(kit.valueAt(span, TRACE));
  return { attributes, startMs, conversation: textAt(attributes, CONVERSATIONS) ?? trace };
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
    const operation = textAt(attributes, 'gen_ai.operation.name') ?? 'chat';
    const kind = textAt(attributes, 'openinference.span.kind') ?? 'LLM';
    const isAsked = INFERENCES.has(operation) && kind === 'LLM';
    const exchange = isAsked ? exchangeIn(attributes) : undefined;
    return exchange ? [{ attributes, startMs, ...exchange, keys: exchange.sent.map(keyOf) }] : [];
  });
  const inner = all.filter(({ isOuter }) => !isOuter);
  return inner.length > 0 ? inner : all;
}

/** A message without what a later request may have in another form, such as thoughts. */
function keyOf({ role, content, calls, results }: SpanMessage): string {
  const texts = content.map(({ text }) => kit.toText(text)?.trim() ?? '').join('');
  const ids = calls.map(({ id, name }) => id ?? name);
  return toJsonText([role, ids.length > 0 ? ids : texts, results]);
}

function isLonger({ keys }: Request, before: Request | undefined) {
  const least = before?.keys.length ?? keys.length;
  return keys.length > least && before?.keys.every((key, at) => key === keys[at]) === true;
}

function readThread(recording: Recording, { requests, spans, isSide }: Thread): Facts {
  let open: Told = {};
  for (const [index, request] of requests.entries()) {
    const { attributes, startMs: time, answered } = request;
    const [finish] = kit.toList(valueAt(attributes, 'gen_ai.response.finish_reasons'));
    const provider = textAt(attributes, PROVIDER)?.toLowerCase().replace(API, '');
    const told = {
      time,
      usage: usageIn(attributes),
      model: kit.toModel(textAt(attributes, MODEL), provider),
      finish: textAt(attributes, FINISHES) ?? finish,
    };
    const added = readChanges(recording, requests[index - 1], request);
    for (const [at, message] of added.entries())
      readMessage(recording, message, at === 0 ? open : {});
    for (const message of answered) readMessage(recording, message, told);
    // An answer that was not recorded stands in the next request.
    open = answered.length === 0 ? told : {};
  }
  if (open.usage !== undefined) recording.readStep(open);
  for (const result of spans.flatMap(({ attributes }) => resultIn(attributes) ?? []))
    if (recording.hasOpenCall(kit.toId(result.id))) recording.readResult(result);
  const system = [...new Set(requests.flatMap((request) => request.system))].join('\n\n');
  return { system: kit.toId(system), isSide, isOutputFinal: true };
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
  const usage = usageIn(attributes);
  const tokensAfter = usage && contextTokensOf(usage);
  recording.addCompaction({ tokensAfter, summary: kit.textOf(summary?.content) });
  return rest;
}

function readMessage(recording: Recording, message: SpanMessage, told: Told): void {
  const { role, content, calls, results } = message;
  for (const result of results) recording.readResult(result);
  if (role === 'assistant') recording.readStep({ ...told, content, calls });
  else if (results.length === 0 || content.length > 0) recording.readPrompt({ content });
}

function toAttributes(told: unknown): Attributes {
  const root: Attributes = new Map();
  const pairs = kit
    .objectsIn(told)
    .map(({ key, value }) => [kit.orEmpty(key), plainOf(value)] as const);
  const all = [...pairs, ...Object.entries(kit.fieldsOf(told))];
  if (!isTooDeep(told)) for (const each of all) plant(root, each, each[0].startsWith('llm'));
  return root;
}

function valueAt(attributes: Attributes, name: string): unknown {
  return parsed(plainAt(attributes, name));
}

function textAt(attributes: Attributes, names: string): string | undefined {
  return names.split(' ').flatMap((name) => kit.toId(plainAt(attributes, name)) ?? [])[0];
}

function exchangeIn(attributes: Attributes) {
  const listed = CONVENTIONS.map((own) => [own, listIn(valueAt(attributes, own[0]))] as const);
  const [names, sent = []] = listed.find(([, messages]) => messages.length > 0) ?? [];
  if (names === undefined) return undefined;
  const prompts = sent.map((each) => toMessage(each, 'user'));
  const systems = prompts.filter(({ role }) => role === 'system').flatMap(({ content }) => content);
  const instructions = piecesIn(valueAt(attributes, 'gen_ai.system_instructions'));
  const isOfSdk = names[1] === RESPONSE;
  const answers = isOfSdk ? [answerIn(attributes)] : listIn(valueAt(attributes, names[1]));
  const answered = joined(answers.map((each) => toMessage(each, 'assistant')));
  return {
    isOuter: names[0] === OUTER,
    system: [...instructions.flatMap(toContent), ...systems].flatMap(
      ({ text }) => kit.toId(text) ?? [],
    ),
    sent: joined(prompts.filter(({ role }) => role !== 'system')),
    answered: answered.filter(({ content, calls }) => content.length + calls.length > 0),
  };
}

/** The usage of a request. Input includes what a cache held, but where the AI SDK has Anthropic's own counts. */
function usageIn(attributes: Attributes) {
  const names = ['gen_ai.usage', 'ai.usage', 'llm.usage'];
  const told = names.map((name) => kit.fieldsOf(valueAt(attributes, name)));
  const tokens = valueAt(attributes, 'llm.token_count');
  // Counts are texts where all attributes are.
  const counts: unknown = JSON.parse(
    JSON.stringify(Object.assign({ tokens }, ...told)),
    (_, one) => (typeof one === 'string' && NUMBER.test(one) ? Number(one) : one),
  );
  const own = kit.valueAt(valueAt(attributes, 'ai.response.providerMetadata'), 'anthropic');
  if (!isObject(own)) return splitCount(counts);
  const { cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheWrite, usage } = own;
  return countKinds({ ...kit.fieldsOf(counts), cacheRead, cacheWrite, ...kit.fieldsOf(usage) });
}

function resultIn(attributes: Attributes): ToldResult | undefined {
  const kind = textAt(attributes, 'openinference.span.kind traceloop.span.kind')?.toLowerCase();
  const others = kind === 'tool' ? ' output.value traceloop.entity.output' : '';
  const output = textAt(attributes, `ai.toolCall.result gen_ai.tool.call.result${others}`);
  if (output === undefined) return undefined;
  return {
    id: textAt(attributes, 'ai.toolCall.id gen_ai.tool.call.id tool_call.id'),
    name: textAt(attributes, 'ai.toolCall.name gen_ai.tool.name tool.name traceloop.entity.name'),
    content: output.startsWith('"') ? (parseJson(output) ?? output) : output,
  };
}

function plainOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { arrayValue, kvlistValue, intValue, ...scalar } = value;
  if (isObject(arrayValue)) return kit.toList(arrayValue['values']).map(plainOf);
  if (isObject(kvlistValue)) {
    const pairs = kit.objectsIn(kvlistValue['values']);
    return Object.fromEntries(
      pairs.map(({ key, value: each }) => [kit.toText(key), plainOf(each)]),
    );
  }
  // Whole numbers of 64 bits are texts in OTLP.
  if (typeof intValue === 'string' || typeof intValue === 'number') return Number(intValue);
  return scalar['stringValue'] ?? scalar['boolValue'] ?? scalar['doubleValue'];
}

/** Sets an attribute. Lists of OpenInference are open, for names with dots inside; others stay as they are. */
function plant(root: Attributes, [name, value]: readonly [string, unknown], isOpen: boolean): void {
  let node = root;
  for (const word of name.split('.')) {
    const inner = node.get(word);
    const next: Attributes = inner instanceof Map ? inner : new Map();
    node.set(word, next);
    node = next;
  }
  const isTree = isObject(value) || (isOpen && kit.objectsIn(value).length > 0);
  if (!isTree) node.set('', value);
  else for (const each of Object.entries(value ?? {})) plant(node, each, isOpen);
}

function plainAt(attributes: Attributes, name: string): unknown {
  let node: unknown = attributes;
  for (const word of name.split('.')) node = node instanceof Map ? node.get(word) : undefined;
  return plainTree(node);
}

function plainTree(node: unknown): unknown {
  if (!(node instanceof Map)) return node;
  const own: unknown = node.get('');
  if (own !== undefined) return own;
  const entries = [...node].map(([key, value]) => [`${key}`, plainTree(value)] as const);
  if (!entries.every(([key]) => NUMBER.test(key))) return Object.fromEntries(entries);
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

function parsed(value: unknown): unknown {
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value);
  return isJson ? (parseJson(value) ?? value) : value;
}

/** Messages as they are listed, or beside a system prompt as the AI SDK has them. */
function listIn(told: unknown): kit.Objects {
  if (typeof told === 'string') return [{ content: told }];
  if (!isObject(told)) return kit.objectsIn(told);
  const { messages, system, prompt = messages } = told;
  const said = typeof prompt === 'string' ? [{ content: prompt }] : kit.objectsIn(parsed(prompt));
  return system === undefined ? said : [{ role: 'system', content: system }, ...said];
}

/** The answer to a request of the AI SDK, which stands in several attributes. */
function answerIn(attributes: Attributes) {
  const thinking = textAt(attributes, 'ai.response.reasoning ai.response.reasoningText');
  const names = 'ai.response.text ai.result.text ai.response.object ai.result.object';
  const calls = ['ai.response.toolCalls', 'ai.result.toolCalls'];
  return {
    content: [{ thinking }, { text: textAt(attributes, names) }],
    tool_calls: calls.map((name) => valueAt(attributes, name)).find(Array.isArray),
  };
}

function toMessage(told: kit.Fields, otherwise: SpanMessage['role']): SpanMessage {
  const message = kit.fieldsOf(told['message'] ?? told);
  const { role: name, content, contents = content, parts = contents, tool_calls: beside } = message;
  const thinking = name === 'thinking' ? content : message['reasoning_content'];
  // The Responses API has calls and results in the place of messages.
  const isItem = isCall(message) || isResult(message);
  const pieces = isItem ? [message] : [{ thinking }, ...piecesIn(name === 'thinking' ? [] : parts)];
  const results = pieces.filter(isResult).map(toResult);
  const isAnswer = TOOL_ROLES.has(name) && results.length === 0;
  const isStep = isCall(message) || STEP_ROLES.has(name);
  const isOther = SYSTEM_ROLES.has(name) ? 'system' : name === undefined ? otherwise : 'user';
  return {
    role: results.length > 0 ? 'user' : isStep ? 'assistant' : isOther,
    content: isAnswer ? [] : pieces.flatMap(toContent),
    calls: [...pieces.filter(isCall), ...kit.objectsIn(parsed(beside))].map(toCall),
    results: isAnswer ? [{ id: message['tool_call_id'], name: message['name'], content }] : results,
  };
}

function piecesIn(content: unknown): kit.Objects {
  const blocks = kit.objectsIn(parsed(content)).map((one) => one['message_content'] ?? one);
  const isListed = blocks.length > 0 && blocks.every((one) => 'type' in kit.fieldsOf(one));
  return isListed ? blocks.map(kit.fieldsOf) : kit.blocksOf(content);
}

function isCall({ type }: kit.Fields) {
  return CALL.test(kit.orEmpty(type));
}

function isResult({ type }: kit.Fields) {
  return RESULT.test(kit.orEmpty(type));
}

function toContent(piece: kit.Fields): kit.Objects {
  const { type, content, text = content, thinking = text, reasoning = thinking } = piece;
  if (isCall(piece) || isResult(piece)) return [];
  const isThought = THOUGHT.test(kit.orEmpty(type)) || 'thinking' in piece;
  if (isThought) return kit.toId(reasoning) === undefined ? [] : [{ thinking: reasoning }];
  if (type === 'blob') return [{ data: content, mime_type: piece['mime_type'] }];
  if (typeof text === 'string') return text === '' ? [] : [{ text }];
  if (type === 'text' || type === undefined) return [];
  if (type === 'file' || typeof piece['image'] === 'string') return [toBlock(piece)];
  return [{ ...piece, url: kit.valueAt(piece, 'url uri image.image.url image.url') }];
}

function toCall(told: kit.Fields): kit.Fields {
  const call = told['tool_call'] ?? told;
  return {
    id: kit.valueAt(call, 'toolCallId tool_call_id call_id id'),
    name: kit.valueAt(call, 'toolName name function.name'),
    args: kit.valueAt(call, 'args input arguments function.arguments'),
  };
}

function toResult(block: kit.Fields): ToldResult {
  const content = kit.valueAt(block, 'response result output content');
  const isSent = 'value' in kit.fieldsOf(content);
  return {
    id: kit.valueAt(block, 'tool_use_id toolCallId tool_call_id call_id id'),
    isError: kit.valueAt(block, 'isError is_error'),
    ...(isSent ? toSentResult(content) : { content }),
  };
}

/** Pieces of one answer, which some recorders list as messages. */
function joined(messages: readonly SpanMessage[]): readonly SpanMessage[] {
  const all: SpanMessage[] = [];
  for (const message of messages) {
    const last = message.role === 'assistant' && all.at(-1)?.role === 'assistant' && all.pop();
    const [content, calls] = last ? [last.content, last.calls] : [[], []];
    const both = { content: [...content, ...message.content], calls: [...calls, ...message.calls] };
    all.push({ ...message, ...both });
  }
  return all;
}
