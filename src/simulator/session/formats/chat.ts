import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { createDialogue, type Dialogue, type RecordedCall } from '../reading/dialogue.ts';
import {
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  mimeIn,
} from '../reading/lenient.ts';
import { type Tally, toInput } from '../reading/tally.ts';
import type { DraftMessage, DraftPart, RecordedUsage } from '../reading/transcript.ts';
import type { Session } from '../session.ts';

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

/** A conversation of chat messages with its system prompt. */
interface Chat {
  readonly drafts: readonly DraftMessage[];
  /** Texts of all system and developer messages; absent if there are none. */
  readonly system?: string;
}

/** Reads chat messages one by one. */
interface ChatReader {
  readonly drafts: readonly DraftMessage[];
  /** Reads a message; `told` is what its recorder knows about a step. */
  readMessage(chat: ChatMessage, told?: Pick<DraftMessage, 'usage'>): void;
  /** Adds a text that a program put between the messages. */
  inject(text: string): void;
  /** The conversation, once nothing follows. */
  end(): Chat;
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Keys of messages of the same roles that other libraries write. */
const FOREIGN_KEYS = ['ts', 'parts', 'toolInvocations'];

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

const runSchema = z.object({
  info: maybeObject({ model_stats: maybeObject({ instance_cost: maybeNumber }) }),
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

/** Texts of a message, line by line. */
export function textOf(message: ChatMessage): string {
  return contentOf(message)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Creates a reader of the messages of one conversation. */
export function createChatReader(tally: Tally): ChatReader {
  const dialogue = createDialogue(tally);
  const systemTexts: string[] = [];
  return {
    drafts: dialogue.drafts,
    readMessage: (chat, told = {}) => {
      if (isOfSystem(chat)) systemTexts.push(textOf(chat));
      else if (chat.role === 'assistant')
        readStep(dialogue, { chat, createdAt: 0, ...told }, tally);
      else if (chat.role === 'user') {
        dialogue.addPrompt({ createdAt: 0, parts: [...toContentParts(chat, tally)] });
      } else readResult(dialogue, chat, tally);
    },
    inject: (text) => dialogue.inject(text),
    end: () => ({ drafts: dialogue.end(), ...toSystem(systemTexts) }),
  };
}

/** Reads the run of an agent whose commands are answered by user messages. */
export function readCommandChat(messages: readonly CommandMessage[], tally: Tally): Chat {
  const dialogue = createDialogue(tally);
  const systemTexts: string[] = [];
  for (const message of messages) {
    const { chat } = message;
    if (isOfSystem(chat)) systemTexts.push(textOf(chat));
    else if (message.isExample) dialogue.inject(textOf(chat));
    else if (chat.role === 'assistant') readStep(dialogue, message, tally);
    else readReply(dialogue, message, tally);
  }
  return { drafts: dialogue.end(), ...toSystem(systemTexts) };
}

/** The cost of a run by its own figures; unknown where they are 0, as for a model without a price or a run that was replayed. */
export function toOwnCost(document: unknown): Pick<Session, 'ownCostUsd'> {
  const cost = runSchema.safeParse(document).data?.info?.model_stats?.instance_cost ?? 0;
  return cost > 0 ? { ownCostUsd: cost } : {};
}

function isOfSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function toSystem(texts: readonly string[]): Pick<Chat, 'system'> {
  return texts.length > 0 ? { system: texts.join('\n\n') } : {};
}

/** Recognizes keys and content that chat messages never have. */
function isForeign(value: unknown): boolean {
  if (!isObject(value)) return false;
  return FOREIGN_KEYS.some((key) => key in value) || isObject(value['content']);
}

function toContentParts(message: ChatMessage, tally: Tally): readonly DraftPart[] {
  const { reasoning_content: thought = message.reasoning, refusal } = message;
  const reasoning: DraftPart[] = thought ? [{ type: 'reasoning', text: thought }] : [];
  const refusals: DraftPart[] = refusal ? [{ type: 'text', text: refusal }] : [];
  const content = contentOf(message).flatMap((piece) => toPart(piece, tally));
  return [...reasoning, ...content, ...refusals];
}

/** The content of a message; a string is one piece, `null` none, and what is no object an unknown one. */
function contentOf({ content }: ChatMessage): readonly ChatContent[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(values)) return [];
  return values.map((value) => contentSchema.parse(isObject(value) ? value : {}));
}

function toPart(content: ChatContent, tally: Tally): readonly DraftPart[] {
  const { text = content.refusal, image_url: image, input_audio: audio, file } = content;
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (image?.url !== undefined) return [toFile(image.url, 'image/*')];
  if (file?.file_data !== undefined) {
    const part = toFile(file.file_data, 'application/octet-stream');
    return [file.filename === undefined ? part : { ...part, filename: file.filename }];
  }
  if (audio?.data === undefined) {
    tally.drop('unknown content part');
    return [];
  }
  const mime = `audio/${audio.format ?? '*'}`;
  return [toFile(`data:${mime};base64,${audio.data}`, mime)];
}

function toFile(url: string, mime: string) {
  return { type: 'file' as const, mime: mimeIn(url) ?? mime, url };
}

function readStep(dialogue: Dialogue, message: CommandMessage, tally: Tally): void {
  const { chat, createdAt, model, usage, written } = message;
  const parts = [...writtenParts(message, tally)];
  const step = dialogue.addStep({ createdAt, model, usage, parts });
  const calls = callsIn(chat).map(({ id, function: called }): RecordedCall => {
    const input = toInput(called?.arguments, tally);
    return { callId: id, tool: called?.name ?? 'unknown', input };
  });
  for (const call of calls) dialogue.addCall(step, call);
  if (calls.length === 0 && written !== undefined) {
    dialogue.addCall(step, { tool: SHELL, input: { command: written.command } });
  }
}

/** Calls in order; old messages hold one call without an id. */
function callsIn({
  tool_calls: calls,
  function_call: only,
}: ChatMessage): readonly ChatMessage['tool_calls'][number][] {
  return only === undefined ? calls : [...calls, { id: undefined, function: only }];
}

function writtenParts(message: CommandMessage, tally: Tally): readonly DraftPart[] {
  const { chat, written } = message;
  if (written === undefined || chat.tool_calls.length > 0) return toContentParts(chat, tally);
  return written.text === '' ? [] : [{ type: 'text', text: written.text }];
}

/** Reads a message of a tool; one without an id names its call by the tool, or answers the next. */
function readResult(dialogue: Dialogue, chat: ChatMessage, tally: Tally): void {
  const { tool_call_id: key, name: tool } = chat;
  const { output, attachments } = toResult(chat, toContentParts(chat, tally));
  if (dialogue.finishCall({ key, tool, output, attachments })) return;
  tally.drop('tool result without a call');
}

function toResult(chat: ChatMessage, parts: readonly DraftPart[]) {
  const files = parts.flatMap((part) => (part.type === 'file' ? [{ ...part, id: '' }] : []));
  return { output: textOf(chat), attachments: files };
}

/** Reads a user message: output where a command waits for it, else a prompt or a notice. */
function readReply(dialogue: Dialogue, message: CommandMessage, tally: Tally): void {
  const { chat, createdAt, callIds = [chat.tool_call_id] } = message;
  const content = toContentParts(chat, tally);
  const result = toResult(chat, content);
  if (callIds.some((key) => dialogue.finishCall({ key, ...result }))) return;
  if (chat.role !== 'user') return tally.drop('tool result without a call');
  const isPrompt = dialogue.drafts.every(({ role }) => role === 'user');
  const parts = content.map((part) =>
    part.type === 'text' && !isPrompt ? { ...part, synthetic: true } : part,
  );
  if (isPrompt) dialogue.addPrompt({ createdAt, parts: [...parts] });
  else for (const part of parts) dialogue.inject(part);
}
