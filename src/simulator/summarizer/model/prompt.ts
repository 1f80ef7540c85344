import {
  type ModelContent,
  type ModelMessage,
  policies,
  render,
  type RenderPolicy,
  type SummaryRequest,
} from '../../../engine/index.ts';
import type { TextMessage, TextRequest } from './text-model.ts';

/** How messages are shown where the policy does not say. */
const USUAL_RENDER = policies['opencode-1.2.16'].render;
/** Half of a character, which no provider takes. */
const LONE_SURROGATE = /\p{Cs}/gu;
const REPLACEMENT = '\ufffd';

/**
 * A summary request as every chat model takes it: tool calls and results are told in words, since no tools go with
 * the request, and neighbours of one role are one message.
 */
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

function textOf(content: ModelContent): string {
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
function inputText(input: unknown): string {
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return text ?? '';
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

function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, REPLACEMENT).trim();
}
