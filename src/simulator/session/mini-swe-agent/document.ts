import { isObject } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { textOf } from '../openai-chat/content.ts';
import { type ChatMessage, parseMessage } from '../openai-chat/message.ts';
import { writtenCommand } from './message.ts';

const FORMAT_NAME = 'mini-swe-agent';
/** What the prompts of every release tell the model to write when it is done. */
const SUBMIT = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|M(?:ICRO|INI)_SWE_AGENT_FINAL_OUTPUT/;
const OUTPUT_START = /^\s*(?:<exception>[\s\S]*?<\/exception>\s*)?<returncode>/;

/** The messages of a run, or `undefined` if the document is none. */
export function findRun(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isRun(document) ? document : undefined;
  if (!isObject(document) || !Array.isArray(document['messages'])) return undefined;
  const format = document['trajectory_format'];
  const isNamed = typeof format === 'string' && format.startsWith(FORMAT_NAME);
  return isNamed ? document['messages'] : undefined;
}

/** Whether a bare list of chat messages is a run: commands stand in fenced blocks, and users bring what they gave back. */
export function isRun(values: readonly unknown[]): boolean {
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

function isMark(message: ChatMessage): boolean {
  if (message.role === 'assistant') return false;
  const text = textOf(message);
  return SUBMIT.test(text) || (message.role === 'user' && OUTPUT_START.test(text));
}
