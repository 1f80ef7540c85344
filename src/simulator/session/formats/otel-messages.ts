import { isObject, parseJson } from '../../lib/json.ts';
import { isTooDeep } from '../files/source-file.ts';
import * as kit from '../reading/fields.ts';
import type { ToldResult } from '../reading/dialogue.ts';
import { countKinds, splitCount } from '../reading/transcript.ts';
import { toBlock, toSentResult } from './ai-sdk.ts';

/** Attributes of a span by the words of their names; the value of one that has others below it stands under ''. */
export type Attributes = Map<string, unknown>;

/** A message of a request; one with results is the answer of tools. */
export interface SpanMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: kit.Objects;
  readonly calls: kit.Objects;
  readonly results: readonly ToldResult[];
}

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

/** The attributes of which a request needs one. */
export const NEEDED = CONVENTIONS.slice(0, -1).map(([sent]) => sent);

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

/** Reads attributes from a list of keys and values, or from an object. */
export function toAttributes(told: unknown): Attributes {
  const root: Attributes = new Map();
  const pairs = kit
    .objectsIn(told)
    .map(({ key, value }) => [kit.toText(key) ?? '', plainOf(value)] as const);
  const all = [...pairs, ...Object.entries(kit.fieldsOf(told))];
  if (!isTooDeep(told)) for (const each of all) plant(root, each, each[0].startsWith('llm'));
  return root;
}

/** An attribute with all below its name; JSON is parsed, and numbered words make a list. */
export function valueAt(attributes: Attributes, name: string): unknown {
  return parsed(plainAt(attributes, name));
}

/** The first of some attributes that is a text. */
export function textAt(attributes: Attributes, names: string): string | undefined {
  return names.split(' ').flatMap((name) => kit.toId(plainAt(attributes, name)) ?? [])[0];
}

/** The messages that a span sent to a model and those that came back; absent where it is no request with messages. */
export function exchangeIn(attributes: Attributes) {
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

/** The model of a request, with its provider. */
export function modelIn(attributes: Attributes): string | undefined {
  const provider = textAt(attributes, PROVIDER)?.toLowerCase().replace(API, '');
  return kit.toModel(textAt(attributes, MODEL), provider);
}

/** The usage of a request. Input includes what a cache held, but where the AI SDK has Anthropic's own counts. */
export function usageIn(attributes: Attributes) {
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

/** The result of a tool that a span of its own tells. */
export function resultIn(attributes: Attributes): ToldResult | undefined {
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

/** Reads a message of any convention: with parts, with a content, or with calls beside it. */
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

/** Pieces of a content, which may be written as JSON. */
function piecesIn(content: unknown): kit.Objects {
  const blocks = kit.objectsIn(parsed(content)).map((one) => one['message_content'] ?? one);
  const isListed = blocks.length > 0 && blocks.every((one) => 'type' in kit.fieldsOf(one));
  return isListed ? blocks.map(kit.fieldsOf) : kit.blocksOf(content);
}

function isCall({ type }: kit.Fields) {
  return CALL.test(kit.toText(type) ?? '');
}

function isResult({ type }: kit.Fields) {
  return RESULT.test(kit.toText(type) ?? '');
}

function toContent(piece: kit.Fields): kit.Objects {
  const { type, content, text = content, thinking = text, reasoning = thinking } = piece;
  if (isCall(piece) || isResult(piece)) return [];
  const isThought = THOUGHT.test(kit.toText(type) ?? '') || 'thinking' in piece;
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
