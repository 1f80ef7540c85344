import type { FilePart, ModelContent } from '../../../engine/index.ts';
import * as form from './form.ts';

/** A message of the AI SDK, versions 5 and 6; fields that no conversion reads are left out. */
export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | (AiText | AiFile | AiImage)[] }
  | { role: 'assistant'; content: string | (AiText | AiReasoning | AiFile | AiCall | AiResult)[] }
  | { role: 'tool'; content: AiResult[] };

type AiText = { type: 'text'; text: string };
type AiReasoning = { type: 'reasoning'; text: string };
type AiFile = { type: 'file'; data: string | URL; mediaType: string; filename?: string };
type AiImage = { type: 'image'; image: string | URL; mediaType?: string };
type AiCall = { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown };
type AiResult = { type: 'tool-result'; toolCallId: string; toolName: string; output: AiOutput };
type AiOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: (AiText | { type: 'media'; data: string; mediaType: string })[] };

type Piece = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Messages of the AI SDK, as `generateText` takes and returns them. System messages are left out. */
export const aiSdkMessages: form.MessageForm<AiSdkMessage> = {
  to: (messages) =>
    messages.map(({ role, content }) => ({ role, content: content.map(toPiece) }) as AiSdkMessage),
  from: (messages) =>
    messages.flatMap((message) => {
      if (message.role === 'system') return [];
      const pieces: readonly object[] = form.piecesOf<object>(message.content);
      const known = pieces.filter(
        (piece): piece is Piece => 'type' in piece && typeof piece.type === 'string',
      );
      return [{ role: message.role, content: known.flatMap(fromPiece) }];
    }),
};

function toPiece(content: ModelContent) {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return { type: content.type, text: content.text };
    case 'file':
      return toFile(content);
    case 'tool-call': {
      const { callId: toolCallId, tool: toolName, input } = content;
      return { type: 'tool-call', toolCallId, toolName, input };
    }
    case 'tool-result':
      return toResult(content);
  }
}

function toFile({ mime, filename, url }: form.FileContent | FilePart): AiFile {
  const data = form.openDataUrl(url)?.base64 ?? new URL(url);
  return { type: 'file', data, mediaType: mime, ...(filename !== undefined && { filename }) };
}

function toResult({ callId, tool, output, isError, attachments }: form.ToolResult): AiResult {
  const media = attachments.flatMap(({ mime: mediaType, url }) => {
    const data = form.openDataUrl(url)?.base64;
    return data === undefined ? [] : [{ type: 'media' as const, data, mediaType }];
  });
  const value: AiOutput =
    media.length > 0
      ? { type: 'content', value: [{ type: 'text', text: output }, ...media] }
      : { type: isError ? 'error-text' : 'text', value: output };
  return { type: 'tool-result', toolCallId: callId, toolName: tool, output: value };
}

function fromPiece(piece: Piece): readonly ModelContent[] {
  switch (piece.type) {
    case 'text':
      return [form.textOf(String(piece['text']))];
    case 'reasoning':
      return [{ type: 'reasoning', text: String(piece['text']) }];
    case 'file':
      return [fileOf(piece['data'], String(piece['mediaType']), piece['filename'])];
    case 'image': {
      const { image, mediaType = 'image/png' } = piece;
      return [fileOf(image, String(mediaType), undefined)];
    }
    case 'tool-call': {
      const { toolCallId, toolName, input } = piece;
      return [{ type: 'tool-call', callId: String(toolCallId), tool: String(toolName), input }];
    }
    case 'tool-result':
      return [fromResult(piece)];
    default:
      return [];
  }
}

function fileOf(data: unknown, mime: string, filename: unknown): form.FileContent {
  const name = typeof filename === 'string' ? { filename } : {};
  return { type: 'file', mime, ...name, url: urlOf(data, mime) };
}

function urlOf(data: unknown, mime: string): string {
  if (data instanceof URL) return data.href;
  if (typeof data === 'string')
    return /^(?:data|https?):/.test(data) ? data : form.toDataUrl(mime, data);
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  return form.toDataUrl(
    mime,
    bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : '',
  );
}

function fromResult({ toolCallId, toolName, output }: Piece): form.ToolResult {
  const callId = String(toolCallId);
  const { type, value } = output as { readonly type: string; readonly value: unknown };
  const pieces = type === 'content' ? form.piecesOf(value as readonly Piece[]) : [];
  const texts = pieces.flatMap((piece) => ('text' in piece ? [String(piece.text)] : []));
  // Anything else is sent by the SDK as JSON.
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return {
    type: 'tool-result',
    callId,
    tool: String(toolName),
    output: type === 'content' ? texts.join('\n') : text,
    isError: type.startsWith('error') || type === 'execution-denied',
    attachments: pieces
      .filter((piece) => 'mediaType' in piece)
      .map((piece, index) => {
        const { data, mediaType } = piece as Piece;
        return form.attachmentOf(callId, index, fileOf(data, String(mediaType), undefined));
      }),
  };
}
