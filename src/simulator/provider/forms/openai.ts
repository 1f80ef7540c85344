import type { ModelContent, ModelMessage } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import * as form from './form.ts';

/** A message of OpenAI's chat completions. */
export type OpenAiMessage =
  | { role: 'system' | 'developer'; content: string }
  | { role: 'user'; content: string | OpenAiPiece[] }
  | {
      role: 'assistant';
      content?: string | OpenAiPiece[] | null;
      reasoning_content?: string;
      tool_calls?: OpenAiCall[];
    }
  | { role: 'tool'; tool_call_id: string; content: string | OpenAiPiece[] };

/** A piece of a message; kinds that are not listed are left out when they are read. */
export type OpenAiPiece =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename?: string; file_data: string } };

type OpenAiCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/**
 * Messages of OpenAI's chat completions. Each result is a message of its own; that it is an error is not told. Attachments
 * of results stand in a user message behind them, and reasoning in `reasoning_content`. System messages are left out.
 */
export const openAiMessages: form.MessageForm<OpenAiMessage> = {
  to: (messages) => messages.flatMap(toMessages),
  from: (messages, all = messages) => {
    const calls = all.flatMap(callsOf);
    const nameOf = form.toolNames(calls.map(({ id, function: { name } }) => ({ id, name })));
    return messages.flatMap((message) => fromMessage(message, nameOf));
  },
};

function toMessages({ role, content }: ModelMessage): readonly OpenAiMessage[] {
  if (role === 'tool') return toResults(content.filter((one) => one.type === 'tool-result'));
  if (role === 'user') return [{ role, content: toPieces(content) }];
  const calls = content.filter((one): one is form.ToolCall => one.type === 'tool-call');
  const reasoning = content.flatMap((one) => (one.type === 'reasoning' ? [one.text] : []));
  const text = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  return [
    {
      role,
      content: text.length === 0 ? null : text.join('\n'),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n') }),
      ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
    },
  ];
}

function toResults(results: readonly form.ToolResult[]): readonly OpenAiMessage[] {
  const files = results.flatMap(({ attachments }) => toPieces(attachments));
  return [
    ...results.map(
      ({ callId, output }): OpenAiMessage => ({
        role: 'tool',
        tool_call_id: callId,
        content: output,
      }),
    ),
    ...(files.length > 0 ? [{ role: 'user' as const, content: files }] : []),
  ];
}

function toPieces(content: readonly ModelContent[]): OpenAiPiece[] {
  return content.flatMap((one): OpenAiPiece[] => {
    if (one.type === 'text') return [{ type: 'text', text: one.text }];
    if (one.type !== 'file') return [];
    if (one.mime.startsWith('image/')) return [{ type: 'image_url', image_url: { url: one.url } }];
    const { filename, url } = one;
    return [{ type: 'file', file: { ...known({ filename }), file_data: url } }];
  });
}

function toCall({ callId, tool, input }: form.ToolCall): OpenAiCall {
  const json = typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}');
  return { id: callId, type: 'function', function: { name: tool, arguments: json } };
}

function callsOf(message: OpenAiMessage): readonly OpenAiCall[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []) : [];
}

function fromMessage(
  message: OpenAiMessage,
  nameOf: (id: string) => string,
): readonly ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: fromPieces(message.content) }];
    case 'assistant':
      return [{ role: 'assistant', content: fromAnswer(message) }];
    case 'tool': {
      const { tool_call_id: callId, content } = message;
      const pieces: readonly OpenAiPiece[] = form.piecesOf(content);
      const texts = pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
      const output = texts.join('\n');
      const result = { callId, tool: nameOf(callId), output, isError: false, attachments: [] };
      return [{ role: 'tool', content: [{ type: 'tool-result', ...result }] }];
    }
    default:
      return [];
  }
}

function fromAnswer(message: OpenAiMessage & { role: 'assistant' }): readonly ModelContent[] {
  const { reasoning_content: reasoning, content } = message;
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...fromPieces(content),
    ...callsOf(message).map(
      ({ id, function: { name, arguments: json } }): form.ToolCall => ({
        type: 'tool-call',
        callId: id,
        tool: name,
        input: form.parseArguments(json),
      }),
    ),
  ];
}

function fromPieces(content: string | OpenAiPiece[] | null | undefined): readonly ModelContent[] {
  const pieces: readonly OpenAiPiece[] = form.piecesOf(content);
  return pieces.flatMap((piece): readonly ModelContent[] => {
    if (piece.type === 'text') return [form.textOf(piece.text)];
    if (piece.type === 'image_url') return [fileOf(piece.image_url.url, 'image/*')];
    if (piece.type !== 'file') return [];
    const { filename, file_data: url } = piece.file;
    return [{ ...fileOf(url, 'application/pdf'), ...known({ filename }) }];
  });
}

function fileOf(url: string, fallback: string): form.FileContent {
  return { type: 'file', mime: form.openDataUrl(url)?.mime ?? fallback, url };
}
