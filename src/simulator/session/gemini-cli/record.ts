import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { flag, list, maybeId, maybeObject, maybeText, maybeTokens } from '../reading/lenient.ts';
import { toLocalTime } from '../reading/time.ts';

const tokensSchema = maybeObject({
  input: maybeTokens,
  output: maybeTokens,
  cached: maybeTokens,
  thoughts: maybeTokens,
  tool: maybeTokens,
});

const responseSchema = maybeObject({
  id: maybeId,
  name: maybeText,
  response: z.unknown().optional(),
});

const partSchema = z.object({
  text: maybeText,
  thought: flag,
  inlineData: maybeObject({ mimeType: maybeText, data: maybeText }),
  fileData: maybeObject({ mimeType: maybeText, fileUri: maybeText }),
  functionCall: maybeObject({ id: maybeId, name: maybeText, args: z.unknown().optional() }),
  functionResponse: responseSchema,
});

const callSchema = z.object({
  id: maybeId,
  name: maybeText,
  args: z.unknown().optional(),
  result: z.unknown().optional(),
  status: maybeText,
});

const thoughtSchema = z.object({ subject: maybeText, description: maybeText });

const messageSchema = z.object({
  id: maybeId,
  type: maybeText,
  role: maybeText,
  timestamp: maybeText,
  model: maybeText,
  content: z.unknown().optional(),
  parts: z.unknown().optional(),
  thoughts: list.transform((thoughts) => parseAll(thoughtSchema, thoughts)),
  tokens: tokensSchema,
  toolCalls: list.transform((calls) => parseAll(callSchema, calls)),
});

/** One message of a chat. */
export type GeminiMessage = z.infer<typeof messageSchema>;

/** The provider's count for a step. */
export type GeminiTokens = z.infer<typeof tokensSchema>;

/** One piece of a content. */
export type GeminiPart = z.infer<typeof partSchema>;

/** A call together with its result, as the recorder keeps them. */
export type GeminiCall = z.infer<typeof callSchema>;

/** What a tool gave back. */
export type GeminiResponse = z.infer<typeof responseSchema>;

const STEP_TYPES = new Set<string | undefined>(['gemini', 'model', 'assistant']);
/** Notices to the person at the screen. */
const NOTICE_TYPES = new Set<string | undefined>(['info', 'warning', 'error']);

/** A value as a message, or `undefined` if it is no object. */
export function parseMessage(value: unknown): GeminiMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The pieces of a content; a text is a single one. */
export function partsOf(content: unknown): readonly GeminiPart[] {
  const values = Array.isArray(content) ? content : [content];
  const pieces = values.map((value) => (typeof value === 'string' ? { text: value } : value));
  return parseAll(partSchema, pieces);
}

/** What a message holds, wherever it stands. */
export function contentOf({ content, parts }: GeminiMessage): readonly GeminiPart[] {
  return partsOf(content ?? parts);
}

/** Whether a person, or a program in their place, wrote the message. */
export function isUser({ type, role }: GeminiMessage): boolean {
  return (type ?? role) === 'user';
}

/** Whether a model wrote the message. */
export function isStep({ type, role }: GeminiMessage): boolean {
  return STEP_TYPES.has(type ?? role);
}

/** Whether the message is of a type that no chat is known to have. */
export function isUnknown(message: GeminiMessage): boolean {
  return !isUser(message) && !isStep(message) && !NOTICE_TYPES.has(message.type);
}

/** Whether the message only hands results of tools to the model. */
export function isResponse(message: GeminiMessage): boolean {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

/** Whether a value looks like a message that is part of a conversation. */
export function isConversation(value: unknown): boolean {
  const message = isObject(value) ? parseMessage(value) : undefined;
  if (message === undefined || !(isUser(message) || isStep(message))) return false;
  return message.content !== undefined || message.parts !== undefined;
}

/** When the message was written, in ms; 0 if it does not say. */
export function timeOf({ timestamp }: GeminiMessage): number {
  return toLocalTime(timestamp);
}

function parseAll<Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
): readonly z.infer<Schema>[] {
  return values.flatMap((value) => schema.safeParse(value).data ?? []);
}
