/** Reads agents that work by one command a message, such as mini-swe-agent. */

import type { RecordedUsage } from './reading/cache-mark.ts';
import { createDialogue, type Dialogue, type RecordedCall } from './reading/dialogue.ts';
import { textOf, toContentParts } from './openai-chat/content.ts';
import type { ChatMessage } from './openai-chat/message.ts';
import type { Tally } from './reading/tally.ts';
import { toInput } from './reading/tool-input.ts';
import type { DraftMessage, DraftPart } from './reading/transcript.ts';

/** A chat message with what its recorder says about it. */
export interface CommandMessage {
  readonly chat: ChatMessage;
  readonly createdAt: number;
  /** The recorder put it into the chat before the task: seen by the model, but no turn and no step. */
  readonly isExample?: boolean;
  /** What a step wrote and ran, where its text and its calls do not tell. */
  readonly written?: WrittenCommand | undefined;
  /** `provider/model` that wrote a step, where its recorder tells. */
  readonly model?: string | undefined;
  readonly usage?: RecordedUsage | undefined;
  /** The calls that a result answers, where the message itself names none. */
  readonly callIds?: readonly string[];
}

/** A command that stands inside the text of a step. */
export interface WrittenCommand {
  readonly text: string;
  readonly command: string;
}

/** What the messages of one run come to. */
export interface CommandChat {
  readonly drafts: readonly DraftMessage[];
  /** The texts of all system messages; absent where there are none. */
  readonly system?: string;
}

const SHELL = 'bash';

/** Reads the run of an agent to which a user's messages bring what its commands gave back. */
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

/** Output comes back as a user's message too: it is one where a command waits for it. */
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
