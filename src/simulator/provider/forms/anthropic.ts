import type { FilePart, ModelContent, ModelMessage } from '../../../engine/index.ts';
import * as form from './form.ts';

/** A message of the Anthropic Messages API. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | AnthropicBlock[];
}

/** A block of a message; kinds that are not listed are left out when they are read. */
export type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'image' | 'document'; source: AnthropicSource }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | {
      type: 'tool_result';
      tool_use_id: string;
      content?: string | AnthropicBlock[];
      is_error?: boolean;
    };

type AnthropicSource =
  | { type: 'base64'; media_type: string; data: string }
  | { type: 'url'; url: string };

type ResultBlock = AnthropicBlock & { type: 'tool_result' };

/**
 * Messages of the Anthropic Messages API: results stand in user messages, and neighbours of one role become one message.
 * Signatures of thinking are not known to a session and are empty.
 */
export const anthropicMessages: form.MessageForm<AnthropicMessage> = {
  to: (messages) =>
    messages.reduce<AnthropicMessage[]>((list, { role, content }) => {
      const blocks = content.map(toBlock);
      const last = list.at(-1);
      const theirs = roleOf(role);
      if (last?.role !== theirs) return [...list, { role: theirs, content: blocks }];
      return [...list.slice(0, -1), { role: theirs, content: [...blocksOf(last), ...blocks] }];
    }, []),
  from: (messages, all = messages) => {
    const calls = all.flatMap(blocksOf).filter((block) => block.type === 'tool_use');
    const nameOf = form.toolNames(calls);
    return messages.flatMap((message) => fromMessage(message, nameOf));
  },
  merges: (one, next) => roleOf(one.role) === roleOf(next.role),
};

function roleOf(role: ModelMessage['role']): AnthropicMessage['role'] {
  return role === 'assistant' ? 'assistant' : 'user';
}

function blocksOf({ content }: AnthropicMessage): readonly AnthropicBlock[] {
  return form.piecesOf(content);
}

function toBlock(content: ModelContent): AnthropicBlock {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'reasoning':
      return { type: 'thinking', thinking: content.text, signature: '' };
    case 'file':
      return toFileBlock(content);
    case 'tool-call':
      return { type: 'tool_use', id: content.callId, name: content.tool, input: content.input };
    case 'tool-result': {
      const { callId, output, isError, attachments } = content;
      const files = attachments.map(toFileBlock);
      return {
        type: 'tool_result',
        tool_use_id: callId,
        content: files.length === 0 ? output : [{ type: 'text', text: output }, ...files],
        ...(isError && { is_error: true }),
      };
    }
  }
}

function toFileBlock({ mime, url }: form.FileContent | FilePart): AnthropicBlock {
  const data = form.openDataUrl(url)?.base64;
  const source: AnthropicSource =
    data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mime, data };
  return { type: mime.startsWith('image/') ? 'image' : 'document', source };
}

/** Results first, in a message of their own, then all else. */
function fromMessage(message: AnthropicMessage, nameOf: (id: string) => string) {
  const blocks = blocksOf(message);
  const results = blocks.filter((block): block is ResultBlock => block.type === 'tool_result');
  const content = blocks.flatMap(fromBlock);
  return [
    ...(results.length > 0
      ? [{ role: 'tool' as const, content: results.map((block) => fromResult(block, nameOf)) }]
      : []),
    ...(content.length > 0 || results.length === 0 ? [{ role: message.role, content }] : []),
  ];
}

function fromBlock(block: AnthropicBlock): readonly ModelContent[] {
  switch (block.type) {
    case 'text':
      return [form.textOf(block.text)];
    case 'thinking':
      return [{ type: 'reasoning', text: block.thinking }];
    case 'image':
    case 'document':
      return [fromFile(block)];
    case 'tool_use':
      return [{ type: 'tool-call', callId: block.id, tool: block.name, input: block.input }];
    default:
      return [];
  }
}

function fromFile({
  type,
  source,
}: AnthropicBlock & { type: 'image' | 'document' }): form.FileContent {
  if (source.type === 'base64') {
    const { media_type: mime, data } = source;
    return { type: 'file', mime, url: form.toDataUrl(mime, data) };
  }
  return { type: 'file', mime: type === 'image' ? 'image/*' : 'application/pdf', url: source.url };
}

function fromResult(
  { tool_use_id: callId, content, is_error: isError = false }: ResultBlock,
  nameOf: (id: string) => string,
): form.ToolResult {
  const blocks: readonly AnthropicBlock[] = form.piecesOf(content);
  return {
    type: 'tool-result',
    callId,
    tool: nameOf(callId),
    output: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    isError,
    attachments: blocks
      .flatMap(fromBlock)
      .filter((one): one is form.FileContent => one.type === 'file')
      .map((file, index) => form.attachmentOf(callId, index, file)),
  };
}
