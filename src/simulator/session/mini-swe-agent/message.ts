import { z } from 'zod';
import type { CommandMessage, WrittenCommand } from '../command-chat.ts';
import { toChatUsage } from '../reading/inclusive-usage.ts';
import { maybeObject, maybeText } from '../reading/lenient.ts';
import { toModelName } from '../reading/model-name.ts';
import { textOf } from '../openai-chat/content.ts';
import { type ChatMessage, parseMessage } from '../openai-chat/message.ts';
import { toTime } from '../reading/time.ts';

/** A fenced block that the recorder runs as a command. */
const COMMAND_BLOCK = /```(?:bash|mswea_bash_command)[^\S\n]*\n([\s\S]*?)\n?```/g;

const messageSchema = z.object({
  role: maybeText,
  extra: maybeObject({
    timestamp: z.unknown().optional(),
    response: maybeObject({ model: maybeText, usage: z.unknown().optional() }),
  }),
});

/** A message, or `undefined` if it is none of a chat. */
export function parseRunMessage(value: unknown): CommandMessage | undefined {
  const chat = parseMessage(value);
  if (chat === undefined) return undefined;
  const extra = messageSchema.safeParse(value).data?.extra;
  const said = { chat, createdAt: toTime(extra?.timestamp) };
  if (chat.role !== 'assistant') return said;
  const { model, usage } = extra?.response ?? {};
  return {
    ...said,
    written: writtenCommand(chat),
    model: model === undefined ? undefined : toModelName(model),
    usage: toChatUsage(usage),
  };
}

/** Whether it is the note that a run ended, which no model saw. */
export function isExit(value: unknown): boolean {
  return messageSchema.safeParse(value).data?.role === 'exit';
}

/** The one command of a text; a text with none or several was not run. */
export function writtenCommand(chat: ChatMessage): WrittenCommand | undefined {
  const text = textOf(chat);
  const blocks = [...text.matchAll(COMMAND_BLOCK)];
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) return undefined;
  const [whole, command = ''] = block;
  const around = text.slice(0, block.index) + text.slice(block.index + whole.length);
  return { text: around.trim(), command };
}
