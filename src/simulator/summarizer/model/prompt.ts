import {
  type ModelContent,
  type ModelMessage,
  policies,
  render,
  type RenderPolicy,
  type SummaryRequest,
  type Usage,
} from '../../../engine/index.ts';

interface TextMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A request to a model, all of it text. */
export interface TextRequest {
  readonly system: string;
  /** User and assistant take turns, and a user is the last. */
  readonly messages: readonly TextMessage[];
  /** Thought included; absent leaves it to the provider. */
  readonly outputCapTokens?: number | undefined;
}

/** The answer of a model. */
export interface TextReply {
  readonly text: string;
  readonly finish: string;
  readonly reasoningText?: string;
  /** Absent where the provider reported none. */
  readonly usage?: Usage;
  readonly model?: string;
  /** An ISO date. */
  readonly answeredAt?: string;
}

/** A model that is sent one request and answers it or not. */
export interface TextModel {
  /** `provider/model`. */
  readonly id: string;
  prepare(): Promise<void>;
  /** Rejects with the client's error. Does not retry. */
  ask(request: TextRequest, signal: AbortSignal): Promise<TextReply>;
  /** Absent where the address is only the client's to know. */
  isServed?(signal: AbortSignal): Promise<boolean>;
}

const USUAL_RENDER = policies['opencode-1.2.16'].render;
const LONE_SURROGATE = /\p{Cs}/gu;
const REPLACEMENT = '\ufffd';

/** A summary request as chat messages of text, with neighbours of one role merged. */
export function toTextRequest(
  { system, messages, prompt, outputCapTokens }: SummaryRequest,
  rendering: RenderPolicy = USUAL_RENDER,
): TextRequest {
  const head = render(messages, rendering).map(toTextMessage);
  const asked: TextMessage = { role: 'user', content: wellFormed(prompt) };
  return {
    system: wellFormed(system),
    messages: joinNeighbours([...head, asked].filter(({ content }) => content !== '')),
    outputCapTokens,
  };
}

function toTextMessage({ role, content }: ModelMessage): TextMessage {
  const text = content.map(textOf).join('\n\n');
  return { role: role === 'assistant' ? 'assistant' : 'user', content: wellFormed(text) };
}

function textOf(content: ModelContent) {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return content.text;
    case 'file':
      return `[Attached ${content.mime}${content.filename === undefined ? '' : `: ${content.filename}`}]`;
    case 'tool-call':
      return `[Called ${content.tool}] ${inputText(content.input)}`;
    case 'tool-result':
      return `[${content.isError ? 'Error' : 'Result'} of ${content.tool}]\n${content.output}`;
  }
}

/** A recording may hold what JSON has no form for. */
function inputText(input: unknown) {
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return text ?? '';
}

function wellFormed(text: string) {
  return text.replaceAll(LONE_SURROGATE, REPLACEMENT).trim();
}

function joinNeighbours(messages: readonly TextMessage[]): readonly TextMessage[] {
  const joined: TextMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== message.role) joined.push(message);
    else joined.splice(-1, 1, { ...last, content: `${last.content}\n\n${message.content}` });
  }
  // Some providers take no conversation that a model begins.
  return joined[0]?.role === 'assistant' ? [{ role: 'user', content: '…' }, ...joined] : joined;
}
