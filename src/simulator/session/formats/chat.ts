import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { createDialogue, type Dialogue, type RecordedCall } from '../reading/dialogue.ts';
import { listOf, maybeId, maybeObject, maybeText, mimeIn } from '../reading/lenient.ts';
import { type Tally, toInput } from '../reading/tally.ts';
import type { DraftMessage, DraftPart, RecordedUsage } from '../reading/transcript.ts';

/** A message of a chat-completions request. */
export type ChatMessage = z.infer<typeof messageSchema>;

/** One piece of a message's content. */
type ChatContent = z.infer<typeof contentSchema>;

/** A chat message with its recorder's own fields. */
export interface CommandMessage {
  readonly chat: ChatMessage;
  readonly createdAt: number;
  /** An example before the task: the model saw it, but it is no turn and no step. */
  readonly isExample?: boolean;
  /** The text and command of a step, where its message does not separate them. */
  readonly written?: WrittenCommand | undefined;
  /** `provider/model` of a step, if recorded. */
  readonly model?: string | undefined;
  readonly usage?: RecordedUsage | undefined;
  /** Ids of the answered calls, where the message names none itself. */
  readonly callIds?: readonly string[];
}

/** A command inside the text of a step. */
interface WrittenCommand {
  readonly text: string;
  readonly command: string;
}

interface CommandChat {
  readonly drafts: readonly DraftMessage[];
  /** Texts of all system messages; absent if there are none. */
  readonly system?: string;
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Content types of chat completions; others belong to other providers. */
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
  tool_calls: listOf(callSchema),
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

const SHELL = 'bash';

/** Parses a message; `undefined` if it has no role of a chat. */
export function parseMessage(value: unknown): ChatMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** Recognizes a list of chat messages, none of which is plainly of another kind. */
export function isChat(values: readonly unknown[]): boolean {
  return parseMessage(values[0]) !== undefined && !values.some(isForeign);
}

/** Parts that a user or a model wrote, without calls. */
export function toContentParts(message: ChatMessage): readonly DraftPart[] {
  const { reasoning_content: thought = message.reasoning, refusal } = message;
  const reasoning: DraftPart[] = thought ? [{ type: 'reasoning', text: thought }] : [];
  const refusals: DraftPart[] = refusal ? [{ type: 'text', text: refusal }] : [];
  return [...reasoning, ...contentOf(message).flatMap(toPart), ...refusals];
}

/** Texts of a message, line by line. */
export function textOf(message: ChatMessage): string {
  return contentOf(message)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Reads the run of an agent whose commands are answered by user messages. */
export function readCommandChat(messages: readonly CommandMessage[], tally: Tally): CommandChat {
  const dialogue = createDialogue(tally);
  const systemTexts: string[] = [];
  for (const message of messages) {
    const { role } = message.chat;
    if (role === 'system' || role === 'developer') systemTexts.push(textOf(message.chat));
    else if (message.isExample) dialogue.inject(textOf(message.chat));
    else if (role === 'assistant') readStep(dialogue, message, tally);
    else readReply(dialogue, message, tally);
  }
  const system = systemTexts.join('\n\n');
  return { drafts: dialogue.end(), ...(system !== '' && { system }) };
}

/** Recognizes keys and content that chat messages never have. */
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

/** The content of a message; a string is one piece, `null` none. */
function contentOf({ content }: ChatMessage): readonly ChatContent[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(values)) return [];
  return values.flatMap((value) => contentSchema.safeParse(value).data ?? []);
}

function toPart(content: ChatContent): readonly DraftPart[] {
  const { text = content.refusal, image_url: image, input_audio: audio, file } = content;
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (image?.url !== undefined) return [toFile(image.url, 'image/*')];
  if (file?.file_data !== undefined) {
    const part = toFile(file.file_data, 'application/octet-stream');
    return [file.filename === undefined ? part : { ...part, filename: file.filename }];
  }
  if (audio?.data === undefined) return [];
  const mime = `audio/${audio.format ?? '*'}`;
  return [toFile(`data:${mime};base64,${audio.data}`, mime)];
}

function toFile(url: string, mime: string) {
  return { type: 'file' as const, mime: mimeIn(url) ?? mime, url };
}

function readStep(dialogue: Dialogue, message: CommandMessage, tally: Tally): void {
  const { chat, createdAt, model, usage, written } = message;
  const step = dialogue.addStep({ createdAt, model, usage, parts: [...writtenParts(message)] });
  const calls = chat.tool_calls.map(({ id, function: called }): RecordedCall => {
    const input = toInput(called?.arguments, tally);
    return { callId: id, tool: called?.name ?? 'unknown', input };
  });
  for (const call of calls) dialogue.addCall(step, call);
  if (calls.length === 0 && written !== undefined) {
    dialogue.addCall(step, { tool: SHELL, input: { command: written.command } });
  }
}

function writtenParts({ chat, written }: CommandMessage): readonly DraftPart[] {
  if (written === undefined || chat.tool_calls.length > 0) return toContentParts(chat);
  return written.text === '' ? [] : [{ type: 'text', text: written.text }];
}

/** Reads a user message: output where a command waits for it, else a prompt or a notice. */
function readReply(dialogue: Dialogue, message: CommandMessage, tally: Tally): void {
  const { chat, createdAt, callIds = [chat.tool_call_id] } = message;
  const output = textOf(chat);
  const attachments = toContentParts(chat).flatMap((part) =>
    part.type === 'file' ? [{ ...part, id: '' }] : [],
  );
  if (callIds.some((key) => dialogue.finishCall({ key, output, attachments }))) return;
  if (chat.role !== 'user') return tally.drop('tool result without a call');
  const isPrompt = dialogue.drafts.every(({ role }) => role === 'user');
  const parts = toContentParts(chat).map((part) =>
    part.type === 'text' && !isPrompt ? { ...part, synthetic: true } : part,
  );
  if (isPrompt) dialogue.addPrompt({ createdAt, parts: [...parts] });
  else for (const part of parts) dialogue.inject(part);
}
