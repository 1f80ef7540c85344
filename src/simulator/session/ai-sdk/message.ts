import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { list, maybeId, maybeObject, maybeText } from '../reading/lenient.ts';

const invocationSchema = z.object({
  state: maybeText,
  toolCallId: maybeId,
  toolName: maybeText,
  args: z.unknown().optional(),
  result: z.unknown().optional(),
});

const partSchema = z.object({
  ...invocationSchema.shape,
  type: maybeText,
  text: maybeText,
  reasoning: maybeText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: maybeText,
  isError: z.unknown().optional(),
  toolInvocation: invocationSchema.optional().catch(undefined),
  mediaType: maybeText,
  mimeType: maybeText,
  filename: maybeText,
  url: maybeText,
  data: z.unknown().optional(),
  image: z.unknown().optional(),
});

const attachmentSchema = z.object({ name: maybeText, contentType: maybeText, url: z.string() });

const partList = list.transform((parts) =>
  parts.flatMap((part) => partSchema.safeParse(part).data ?? []),
);

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.unknown().optional(),
  parts: partList,
  createdAt: z.unknown().optional(),
  metadata: maybeObject({
    createdAt: z.unknown().optional(),
    model: maybeText,
    usage: z.unknown().optional(),
  }),
  toolInvocations: list,
  experimental_attachments: list.transform((files) =>
    files.flatMap((file) => attachmentSchema.safeParse(file).data ?? []),
  ),
});

/** A message of either kind: as shown to a user, or as sent to a model. */
export type SdkMessage = z.infer<typeof messageSchema>;

/** One piece of a message. */
export type SdkPart = z.infer<typeof partSchema>;

/** A call of the older kind, with its result where there is one. */
export type SdkInvocation = z.infer<typeof invocationSchema>;

const TELLING_TYPES = new Set<unknown>([
  'reasoning',
  'redacted-reasoning',
  'tool-approval-request',
  'tool-approval-response',
  'tool-call',
  'tool-result',
]);

/** A message, or `undefined` if it is none. */
export function parseMessage(value: unknown): SdkMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/**
 * The pieces of a message. A message as shown has them as parts, one as sent as content.
 * Before there were parts, a text and calls stood beside each other.
 */
export function partsOf(message: SdkMessage): readonly SdkPart[] {
  if (message.parts.length > 0) return message.parts;
  const { content, toolInvocations: calls } = message;
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const called = calls.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation }));
  return partList.parse([...called, ...list.parse(texts)]);
}

/** Whether a message can be of no other recorder: its parts have types, or its content pieces that only this one writes. */
export function isTelling(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { parts, content, toolInvocations } = value;
  if (Array.isArray(toolInvocations)) return true;
  if (Array.isArray(parts)) return parts.length > 0 && parts.every(isTyped);
  return Array.isArray(content) && content.some(isTellingPiece);
}

function isTyped(part: unknown): boolean {
  return isObject(part) && typeof part['type'] === 'string';
}

function isTellingPiece(piece: unknown): boolean {
  if (!isObject(piece)) return false;
  const { type } = piece;
  if (type === 'file') return 'mediaType' in piece || 'mimeType' in piece;
  return TELLING_TYPES.has(type) || (type === 'image' && 'image' in piece);
}
