import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { asInjected, type Block, blocksOf, textOf, toOutput, toParts } from '../reading/content.ts';
import {
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  toText,
} from '../reading/lenient.ts';
import type { Recording } from '../reading/recording.ts';
import { createTally, type Tally, toInput } from '../reading/tally.ts';
import type { DraftMessage, DraftPart } from '../reading/transcript.ts';

/** A message of a chat-completions request. */
export type ChatMessage = z.infer<typeof messageSchema>;

/** Fields that the recorder of a chat keeps beside a message. */
interface Told extends Partial<Pick<DraftMessage, 'createdAt' | 'model' | 'usage'>> {
  /** The text and command of a step, where its message does not separate them. */
  readonly written?: { readonly text: string; readonly command: string } | undefined;
}

/** A chat message with its recorder's own fields. */
export interface CommandMessage extends Told {
  readonly chat: ChatMessage;
  /** An example before the task: the model saw it, but it is no turn and no step. */
  readonly isExample?: boolean;
  /** Ids of the answered calls, where the message names none itself. */
  readonly callIds?: readonly string[];
}

/** Keys of messages of the same roles that other libraries write. */
const FOREIGN_KEYS = ['ts', 'parts', 'toolInvocations'];

const callSchema = z.object({
  id: maybeId,
  function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
});

const messageSchema = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.unknown().optional(),
  name: maybeText,
  reasoning: maybeText,
  reasoning_content: maybeText,
  refusal: maybeText,
  tool_call_id: maybeId,
  tool_calls: listOf(callSchema),
  function_call: callSchema.shape.function,
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

/** Reads the messages of a chat. */
export function readChat(recording: Recording, values: readonly unknown[]): void {
  for (const chat of recording.parseEach(values, messageSchema, 'message without a role')) {
    readChatMessage(recording, chat);
  }
}

/** Reads a message of a chat. */
export function readChatMessage(recording: Recording, chat: ChatMessage, told: Told = {}): void {
  const { role, content } = chat;
  if (role === 'system' || role === 'developer') recording.addSystem(textOf(content));
  else if (role === 'assistant') readStep(recording, chat, told);
  else if (role === 'user') {
    const { createdAt = 0 } = told;
    recording.addPrompt({ createdAt, parts: partsOf(chat, recording.tally) });
  } else {
    // A result without an id names its call by the tool, or answers the next.
    const { tool_call_id: key, name: tool } = chat;
    const isFinished = recording.finishCall({ key, tool, ...toResult(chat, recording.tally) });
    if (!isFinished) recording.tally.drop('tool result without a call');
  }
}

/** Reads the run of an agent whose commands are answered by user messages. */
export function readCommandChat(recording: Recording, messages: readonly CommandMessage[]): void {
  for (const message of messages) {
    const { chat, isExample = false } = message;
    const { role, content } = chat;
    if (isExample && role !== 'system' && role !== 'developer') recording.inject(textOf(content));
    else if (role === 'user' || role === 'tool' || role === 'function') {
      readReply(recording, message);
    } else readChatMessage(recording, chat, message);
  }
}

/** The cost of a run by its own figures; unknown where they are 0, as for a model without a price or a run that was replayed. */
export function ownCostOf(document: unknown): number | undefined {
  const cost = runSchema.safeParse(document).data?.info?.model_stats?.instance_cost ?? 0;
  return cost > 0 ? cost : undefined;
}

/** Recognizes keys and content that chat messages never have. */
function isForeign(value: unknown): boolean {
  if (!isObject(value)) return false;
  return FOREIGN_KEYS.some((key) => key in value) || isObject(value['content']);
}

function readStep(
  recording: Recording,
  chat: ChatMessage,
  { createdAt = 0, model, usage, written }: Told,
): void {
  const { tally } = recording;
  const { tool_calls: named, function_call: only } = chat;
  const content = written === undefined || named.length > 0 ? chat : { content: written.text };
  const step = recording.addStep({ createdAt, model, usage, parts: partsOf(content, tally) });
  // Old messages hold one call without an id.
  const calls = only === undefined ? named : [...named, { id: undefined, function: only }];
  for (const { id: callId, function: called } of calls) {
    const input = toInput(called?.arguments, tally);
    recording.addCall(step, { callId, tool: called?.name ?? 'unknown', input });
  }
  if (calls.length === 0 && written !== undefined) {
    recording.addCall(step, { tool: SHELL, input: { command: written.command } });
  }
}

function partsOf(message: Partial<ChatMessage>, tally: Tally): DraftPart[] {
  const { reasoning_content: thought = message.reasoning, refusal, content } = message;
  return [
    ...toParts([{ thinking: thought ?? '' }], tally),
    ...toParts(blocksOf(content).map(toBlock), tally),
    ...toParts(refusal, tally),
  ];
}

/** A block in the form that providers share. */
function toBlock(block: Block): Block {
  const { text, refusal = text, input_audio: audio, file } = block;
  if (isObject(file)) {
    const { file_data: url, filename } = file;
    return { url, filename, mimeType: 'application/octet-stream' };
  }
  if (!isObject(audio)) return { ...block, text: text ?? refusal };
  return { data: audio['data'], mimeType: `audio/${toText(audio['format']) ?? '*'}` };
}

function toResult({ content }: ChatMessage, tally: Tally) {
  return { ...toOutput(blocksOf(content).map(toBlock), tally), output: textOf(content) };
}

/** Reads a user message: output where a command waits for it, else a prompt or a notice. */
function readReply(recording: Recording, message: CommandMessage): void {
  const { chat, createdAt = 0, callIds = [chat.tool_call_id] } = message;
  const result = toResult(chat, recording.tally);
  if (callIds.some((key) => recording.finishCall({ key, ...result }))) return;
  if (chat.role !== 'user') return recording.tally.drop('tool result without a call');
  const parts = partsOf(chat, createTally());
  if (recording.drafts.every(({ role }) => role === 'user')) {
    return recording.addPrompt({ createdAt, parts });
  }
  for (const part of parts) recording.inject(asInjected(part));
}
