import { createHash } from 'node:crypto';
import { countEach, known, sum } from '../../lib/collections.ts';
import { type ScriptUsage, usageOf } from './script.ts';

/** An answer of a model. */
export interface Said {
  readonly text: string;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: object;
  }[];
  readonly usage?: ScriptUsage | undefined;
}

/** One dialect; an event is a line of `data:` of a streamed answer. */
export interface Dialect {
  readonly matches: RegExp;
  readonly read: (body: Json, path: string) => SentRequest;
  readonly write: (said: Said, id: string) => Json;
  readonly stream: (said: Said, id: string) => readonly StreamEvent[];
  readonly end?: string;
}

/** An event of a stream, with its name where the dialect has names. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: Json;
}

export type Json = { readonly [key: string]: unknown };

export type DialectName = keyof typeof dialects;

interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** A tool that the model may call, with the JSON Schema of its parameters. */
export interface OfferedTool {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface SentRequest {
  readonly messages: readonly SentMessage[];
  readonly tools: readonly OfferedTool[];
  readonly isStreaming: boolean;
}

/** `other`: titles of sessions, checks of a summary, and the like. */
type RequestKind = 'agent' | 'summary' | 'title' | 'other';

/** A request without its texts. */
export type RequestFacts = ReturnType<typeof factsOf>;

/** Texts of a script, by which a request is searched. */
export interface Known {
  readonly prompts: readonly string[];
  readonly outputMarks: readonly string[];
  /** A sentence of the summaries that the script answers with. */
  readonly summaryMark: string;
  /** Tools of the agent's requests so far; programs that tidy up on the side have fewer. */
  readonly agentTools: number;
  /** The last message of the request before, where that was one for a summary: the next one that asks otherwise goes on with it. */
  readonly summaryPrompt?: string | undefined;
}

const ASKS_SUMMARY =
  /summar(?:y|i[sz])|compact(?:ed|ion|ing)|hand-?off|state_snapshot|continuation|condens/i;
const ASKS_TITLE = /\btitle\b|\btopic\b|session name/i;
const HEADING = /^#{1,4} .+$/gmu;
const MOST_HEADINGS = 20;
/** A prompt for a summary is long; a person's prompt in a script is not. */
const LONG_PROMPT_CHARS = 150;
const SHOWN_SHARE_DIGITS = 100;
const CLEARED =
  /^\s*(?:[[<(]?[^\n]{0,80}(?:cleared|pruned|omitted|masked|removed|trimmed)[^\n]{0,120}$|<tool_output_masked>)/i;

const MODEL = 'mock-model';

/** Dialects by name. */
export const dialects = {
  chat: {
    matches: /\/chat\/completions$/,
    read: (body) => ({
      messages: listOf(body['messages']).map(readChatMessage),
      tools: listOf(body['tools']).map((tool) => readTool(objectOf(tool['function']))),
      isStreaming: body['stream'] === true,
    }),
    write: (said, id) => ({
      ...chatHead(id, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', ...chatWords(said), content: said.text || null },
          finish_reason: chatFinish(said),
        },
      ],
      ...(said.usage && { usage: chatUsage(said.usage) }),
    }),
    stream: (said, id) => {
      const head = chatHead(id, 'chat.completion.chunk');
      const delta = { role: 'assistant', ...chatWords(said) };
      const choice = (fields: Json) => ({ data: { ...head, choices: [{ index: 0, ...fields }] } });
      return [
        choice({ delta, finish_reason: null }),
        choice({ delta: {}, finish_reason: chatFinish(said) }),
        ...(said.usage ? [{ data: { ...head, choices: [], usage: chatUsage(said.usage) } }] : []),
      ];
    },
    end: '[DONE]',
  },
  responses: {
    matches: /\/responses$/,
    read: (body) => ({
      messages: [
        ...instructionsOf(body['instructions']),
        ...(typeof body['input'] === 'string'
          ? [{ role: 'user' as const, text: body['input'] }]
          : listOf(body['input']).flatMap(readResponsesItem)),
      ],
      tools: listOf(body['tools']).map(readTool),
      isStreaming: body['stream'] === true,
    }),
    write: (said, id) => responsesAnswer(said, id, 'completed'),
    stream: (said, id) => {
      const items = responsesItems(said, id);
      return [
        named('response.created', { response: responsesAnswer(said, id, 'in_progress') }),
        ...items.flatMap((item, index) => [
          named('response.output_item.added', { output_index: index, item }),
          named('response.output_item.done', { output_index: index, item }),
        ]),
        named('response.completed', { response: responsesAnswer(said, id, 'completed') }),
      ];
    },
  },
  gemini: {
    matches: /:(?:generateContent|streamGenerateContent)$/,
    read: (body, path) => ({
      messages: [
        ...instructionsOf(textOf(objectOf(body['systemInstruction'])['parts'])),
        ...listOf(body['contents']).map(readGeminiContent),
      ],
      tools: listOf(body['tools'])
        .flatMap((tool) => listOf(tool['functionDeclarations']))
        .map(readTool),
      isStreaming: path.includes(':stream'),
    }),
    write: geminiAnswer,
    stream: (said) => [{ data: geminiAnswer(said) }],
  },
} satisfies Record<string, Dialect>;

/** Tells requests of the agent from those that the program makes on its own. */
export function kindOf({ messages, tools }: SentRequest, known: Known): RequestKind {
  const last = messages.findLast(({ role }) => role === 'user' || role === 'system');
  const system = messages.find(({ role }) => role === 'system')?.text ?? '';
  const isOwn = known.prompts.some((prompt) => last?.text.includes(prompt) === true);
  const newest = messages.at(-1);
  const asks =
    newest?.role === 'user' &&
    newest.text.length > LONG_PROMPT_CHARS &&
    ASKS_SUMMARY.test(newest.text);
  const isContinued =
    tools.length > 0 &&
    (isOwn ||
      newest?.text.includes(known.summaryMark) === true ||
      (known.summaryPrompt !== undefined && newest?.text !== known.summaryPrompt));
  if (asks && !isContinued) return 'summary';
  if (tools.length > 0) return tools.length < known.agentTools / 2 ? 'other' : 'agent';
  if (ASKS_TITLE.test(system) || ASKS_TITLE.test(last?.text ?? '')) return 'title';
  return ASKS_SUMMARY.test(system) ? 'summary' : 'other';
}

/** The facts of a request; `before` is the agent's request before it. */
export function factsOf(
  request: SentRequest,
  kind: RequestKind,
  { known, before }: { readonly known: Known; readonly before: SentRequest | undefined },
) {
  const { messages, tools } = request;
  const whole = wholeTextOf(request);
  const holds = (texts: readonly string[], where = whole) =>
    texts.filter((text) => where.includes(text)).length;
  // The model's own messages hold the calls, which name the words of their outputs; a flattened history does, too.
  const notOwn = wholeTextOf({
    ...request,
    messages: messages.filter((one) => one.role !== 'assistant' && !isCleared(one)),
  });
  return {
    kind,
    roles: Object.fromEntries(countEach(messages.map(({ role }) => role))) as Record<
      string,
      number
    >,
    tools: tools.length,
    chars: sum(messages.map(({ text }) => text.length)),
    /** Of all texts, so that two runs can be held against each other. */
    hash: createHash('sha256').update(whole).digest('hex').slice(0, 16),
    /** Markdown headings of the last message: they name the template of a summary. */
    headings: (messages.at(-1)?.text.match(HEADING) ?? []).slice(0, MOST_HEADINGS),
    samePrefix: before === undefined ? 0 : samePrefix(wholeTextOf(before), whole),
    clearedOutputs: messages.filter(isCleared).length,
    promptsKept: holds(known.prompts),
    outputsKept: holds(known.outputMarks, notOwn.replaceAll('-begins;', '')),
  };
}

function readChatMessage(message: Json): SentMessage {
  const calls = listOf(message['tool_calls']);
  const inputs = calls.map((call) => wordOf(objectOf(call['function'])['arguments']));
  return {
    role: roleOf(message['role']),
    text: [textOf(message['content']), ...inputs].filter(Boolean).join('\n'),
  };
}

function chatHead(id: string, object: string): Json {
  return { id, object, created: 0, model: MODEL };
}

function chatWords({ text, reasoning, calls = [] }: Said): Json {
  const tools = calls.map(({ id, name, input }, index) => {
    const asked = { name, arguments: JSON.stringify(input) };
    return { index, id, type: 'function', function: asked };
  });
  return {
    content: text,
    ...known({ reasoning_content: reasoning, tool_calls: tools.length > 0 ? tools : undefined }),
  };
}

function chatFinish({ calls = [] }: Said): string {
  return calls.length === 0 ? 'stop' : 'tool_calls';
}

function chatUsage(usage: ScriptUsage): Json {
  const { reasoningTokens: reasoning, cachedTokens, cachedBesideTokens } = usage;
  return known({
    prompt_tokens: usage.inputTokens,
    prompt_tokens_details: cachedTokens ? { cached_tokens: cachedTokens } : undefined,
    cache_read_input_tokens: cachedBesideTokens,
    completion_tokens: usage.outputTokens,
    completion_tokens_details: reasoning ? { reasoning_tokens: reasoning } : undefined,
    total_tokens: usageOf(usage).total,
  });
}

function readResponsesItem(item: Json): readonly SentMessage[] {
  const type = wordOf(item['type']) || 'message';
  if (type === 'message') return [{ role: roleOf(item['role']), text: textOf(item['content']) }];
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call')
    return [{ role: 'assistant', text: wordOf(item['arguments']) }];
  if (type.endsWith('_output')) return [{ role: 'tool', text: textOf(item['output']) }];
  return [];
}

function named(type: string, fields: Json): StreamEvent {
  return { event: type, data: { type, ...fields } };
}

function responsesItems({ text, reasoning, calls = [] }: Said, id: string): readonly Json[] {
  const summary = [{ type: 'summary_text', text: reasoning }];
  const thoughts = reasoning === undefined ? [] : [{ type: 'reasoning', id: `rs_${id}`, summary }];
  if (calls.length === 0) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    const said = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' };
    return [...thoughts, { ...said, content }];
  }
  const asked = calls.map(({ id: callId, name, input }, index) => ({
    type: 'function_call',
    id: `fc_${id}${index || ''}`,
    call_id: callId,
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
  }));
  return [...thoughts, ...asked];
}

function responsesAnswer(said: Said, id: string, status: string): Json {
  const { usage } = said;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    status,
    model: MODEL,
    output: status === 'completed' ? responsesItems(said, id) : [],
    usage: usage
      ? {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: usageOf(usage).cacheRead },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
          total_tokens: usageOf(usage).total,
        }
      : null,
  };
}

function readGeminiContent(content: Json): SentMessage {
  const parts = listOf(content['parts']);
  const results = parts.filter((part) => part['functionResponse']);
  const told = results.map((part) => {
    const { response } = objectOf(part['functionResponse']);
    const { output } = objectOf(response);
    return typeof output === 'string' ? output : JSON.stringify(response ?? '');
  });
  const inputs = parts.flatMap(({ functionCall: call }) =>
    call ? [JSON.stringify(objectOf(call)['args'] ?? {})] : [],
  );
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  return {
    role: results.length > 0 ? 'tool' : role,
    text: [textOf(parts), ...inputs, ...told].filter(Boolean).join('\n'),
  };
}

function geminiAnswer({ text, reasoning, calls = [], usage }: Said): Json {
  const asked = calls.map(({ name, input: args }) => ({ functionCall: { name, args } }));
  const parts = [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(calls.length === 0 ? [{ text }] : asked),
  ];
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    modelVersion: MODEL,
    ...(usage && { usageMetadata: geminiUsage(usage) }),
  };
}

function geminiUsage(usage: ScriptUsage): Json {
  const { output, total } = usageOf(usage);
  return known({
    promptTokenCount: usage.inputTokens,
    cachedContentTokenCount: usage.cachedTokens ?? usage.cachedBesideTokens,
    candidatesTokenCount: output,
    thoughtsTokenCount: usage.reasoningTokens,
    totalTokenCount: total,
  });
}

function readTool(tool: Json): OfferedTool {
  const parameters = tool['parameters'] ?? tool['parametersJsonSchema'] ?? {};
  return { name: wordOf(tool['name']) || wordOf(tool['type']), parameters: objectOf(parameters) };
}

function instructionsOf(text: unknown): readonly SentMessage[] {
  return typeof text === 'string' && text !== '' ? [{ role: 'system', text }] : [];
}

function roleOf(role: unknown): SentMessage['role'] {
  if (role === 'developer') return 'system';
  return role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => wordOf(part['text']));
  return texts.filter(Boolean).join('\n');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function isCleared({ role, text }: SentMessage): boolean {
  return role === 'tool' && CLEARED.test(text);
}

function wholeTextOf({ tools, messages }: SentRequest): string {
  const names = tools.map(({ name }) => name).join(',');
  return [names, ...messages.map(({ role, text }) => `${role}: ${text}`)].join('\n');
}

function samePrefix(earlier: string, later: string): number {
  const longest = Math.min(earlier.length, later.length);
  let same = 0;
  while (same < longest && earlier[same] === later[same]) same += 1;
  return Math.round((same / Math.max(1, earlier.length)) * SHOWN_SHARE_DIGITS) / SHOWN_SHARE_DIGITS;
}
