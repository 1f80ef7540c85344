import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { list, maybeId, maybeObject, maybeText } from '../reading/lenient.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Kinds of content that chat completions know. Others are of other providers' messages. */
const CONTENT_TYPES = new Set<unknown>([
  'audio',
  'file',
  'image_url',
  'input_audio',
  'refusal',
  'text',
]);

const callSchema = z.object({
  id: maybeId,
  function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
});

const messageSchema = z.object({
  role: z.enum(ROLES),
  content: z.unknown().optional(),
  name: maybeText,
  reasoning: maybeText,
  reasoning_content: maybeText,
  refusal: maybeText,
  tool_call_id: maybeId,
  tool_calls: list.transform((calls) =>
    calls.flatMap((call) => callSchema.safeParse(call).data ?? []),
  ),
  function_call: callSchema.shape.function,
});

const contentSchema = z.object({
  type: maybeText,
  text: maybeText,
  refusal: maybeText,
  image_url: maybeObject({ url: maybeText }),
  input_audio: maybeObject({ data: maybeText, format: maybeText }),
  file: maybeObject({ file_data: maybeText, filename: maybeText }),
});

/** One message of a chat-completions request. */
export type ChatMessage = z.infer<typeof messageSchema>;

/** A call that a model asked for. */
export type ChatCall = z.infer<typeof callSchema>;

/** One piece of a message's content. */
export type ChatContent = z.infer<typeof contentSchema>;

/** A message, or `undefined` if it has no role of a chat. */
export function parseMessage(value: unknown): ChatMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The content of a message; a text is a single piece, `null` none. */
export function contentOf({ content }: ChatMessage): readonly ChatContent[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(values)) return [];
  return values.flatMap((value) => contentSchema.safeParse(value).data ?? []);
}

/** Whether a list holds messages of a chat, and none that is plainly of another kind. */
export function isChat(values: readonly unknown[]): boolean {
  return parseMessage(values[0]) !== undefined && !values.some(isForeign);
}

/** Timestamps, Gemini's parts, Anthropic's blocks and what the AI SDK writes stand in messages that only look like those of a chat. */
function isForeign(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('ts' in value || 'parts' in value || Array.isArray(value['toolInvocations'])) return true;
  const { content } = value;
  if (!Array.isArray(content)) return isObject(content);
  return content.some(isForeignPiece);
}

function isForeignPiece(piece: unknown): boolean {
  if (!isObject(piece) || !CONTENT_TYPES.has(piece['type'])) return true;
  return piece['type'] === 'file' && ('mediaType' in piece || 'mimeType' in piece);
}
