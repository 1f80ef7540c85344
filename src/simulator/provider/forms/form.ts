import type { FilePart, ModelContent, ModelMessage } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';

/** A kind of model messages that other software uses, and its conversion to and from those of the engine. */
export interface MessageForm<Theirs> {
  /** Converts messages; where their form has no room for something, it is left out. */
  readonly to: (messages: readonly ModelMessage[]) => Theirs[];
  /** Converts messages back; tools of results are looked up in `all`, of which they are a part. */
  readonly from: (messages: readonly Theirs[], all?: readonly Theirs[]) => ModelMessage[];
  /** True for neighbours that become one message; absent where each message stands for itself. */
  readonly merges?: (one: ModelMessage, next: ModelMessage) => boolean;
}

export type ToolCall = ModelContent & { readonly type: 'tool-call' };
export type ToolResult = ModelContent & { readonly type: 'tool-result' };
export type FileContent = ModelContent & { readonly type: 'file' };
export type OpenedUrl = { readonly mime: string; readonly base64: string };

const DATA_URL = /^data:(?<mime>[^;,]*)(?:;[^,]*)?;base64,(?<base64>.*)$/s;

/** The names of the tools in a list of calls, by the ids of the calls. */
export function toolNames(
  calls: Iterable<{ readonly id: string; readonly name: string }>,
): (id: string) => string {
  const names = new Map([...calls].map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? 'unknown';
}

/** The media type and the content of a `data:` address in base64; nothing of another address. */
export function openDataUrl(url: string): OpenedUrl | undefined {
  const { mime, base64 } = DATA_URL.exec(url)?.groups ?? {};
  return base64 === undefined ? undefined : { mime: mime || 'application/octet-stream', base64 };
}

export function toDataUrl(mime: string, base64: string): string {
  return `data:${mime};base64,${base64}`;
}

export function textOf(text: string): ModelContent {
  return { type: 'text', text };
}

/** An attachment of a result; its id follows from its place. */
export function attachmentOf(callId: string, index: number, file: FileContent): FilePart {
  return { ...file, id: `${callId}-file-${index + 1}` };
}

/** Converts the arguments of a call from JSON; what is no JSON stays a text. */
export function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** The pieces of a content, which may be one text. */
export function piecesOf<Piece extends object>(
  content: string | readonly Piece[] | null | undefined,
): readonly (Piece | { readonly type: 'text'; readonly text: string })[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (content ?? []).filter((piece): piece is Piece => isObject(piece));
}
