import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import { maybeObject, maybeText, toModelName, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { toChatUsage } from '../reading/usage.ts';
import {
  type ChatMessage,
  type CommandMessage,
  parseMessage,
  readCommandChat,
  ownCostOf,
} from './chat.ts';

/** A fenced block that the recorder runs as a command. */
const COMMAND_BLOCK = /```(?:bash|mswea_bash_command)[^\S\n]*\n([\s\S]*?)\n?```/g;

/** The end marks that the prompts of all releases ask the model to write. */
const SUBMIT = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|M(?:ICRO|INI)_SWE_AGENT_FINAL_OUTPUT/;
const OUTPUT_START = /^\s*(?:<exception>[\s\S]*?<\/exception>\s*)?<returncode>/;

const FORMAT_NAME = 'mini-swe-agent';

const messageSchema = z.object({
  role: maybeText,
  extra: maybeObject({
    timestamp: z.unknown().optional(),
    response: maybeObject({ model: maybeText, usage: z.unknown().optional() }),
  }),
});

/** Runs of mini-swe-agent: a bare list of messages, or one beside the figures of the run. */
export const miniSweAgent: SessionFormat = {
  label: 'mini-swe-agent trajectory (JSON)',
  certainty: 'shape',
  detect: (file) => findRun(file) !== undefined,
  read: readRecording({ format: 'mini-swe-agent', empty: 'a run without messages' }, readRun),
};

/** Recognizes a run in a bare list of chat messages: commands in fenced blocks, answered by user messages. */
function isRun(values: readonly unknown[]): boolean {
  const [first] = values;
  if (!isObject(first) || first['role'] !== 'system') return false;
  const messages = values.flatMap((value) => parseMessage(value) ?? []);
  const isSpoken = messages.every(({ role, tool_calls: calls }) => isPlain(role) && !calls.length);
  return isSpoken && messages.some(isCommand) && messages.some(isMark);
}

function isPlain(role: ChatMessage['role']): boolean {
  return role === 'system' || role === 'user' || role === 'assistant';
}

function isCommand(message: ChatMessage): boolean {
  return message.role === 'assistant' && writtenCommand(message) !== undefined;
}

function writtenCommand(chat: ChatMessage): CommandMessage['written'] {
  const text = textOf(chat.content);
  const blocks = [...text.matchAll(COMMAND_BLOCK)];
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) return undefined;
  const [whole, command = ''] = block;
  const around = text.slice(0, block.index) + text.slice(block.index + whole.length);
  return { text: around.trim(), command };
}

function isMark(message: ChatMessage): boolean {
  if (message.role === 'assistant') return false;
  const text = textOf(message.content);
  return SUBMIT.test(text) || (message.role === 'user' && OUTPUT_START.test(text));
}

/** The messages of a run, or `undefined` if the document is none. */
function findRun(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isRun(document) ? document : undefined;
  if (!isObject(document) || !Array.isArray(document['messages'])) return undefined;
  const format = document['trajectory_format'];
  const isNamed = typeof format === 'string' && format.startsWith(FORMAT_NAME);
  return isNamed ? document['messages'] : undefined;
}

function readRun(recording: Recording, file: SourceFile): Facts {
  const values = (findRun(file) ?? []).filter((value) => !isExit(value));
  const messages = values.flatMap((value) => parseRunMessage(value) ?? []);
  recording.tally.drop('message without a role', values.length - messages.length);
  readCommandChat(recording, messages);
  return {
    ownCostUsd: ownCostOf(file.json()),
    isOutputFinal: recording.hasUsage(),
  };
}

/** Recognizes the note that a run ended, which no model saw. */
function isExit(value: unknown): boolean {
  return messageSchema.safeParse(value).data?.role === 'exit';
}

function parseRunMessage(value: unknown): CommandMessage | undefined {
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
