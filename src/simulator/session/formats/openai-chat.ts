import type { ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { readJsonLine } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { countLineFaults, createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  addStep,
  type DraftMessage,
  type DraftPart,
  finishSession,
  withMessages,
} from '../reading/transcript.ts';
import { type Session, sessionName } from '../session.ts';
import { type ChatMessage, isChat, parseMessage, textOf, toContentParts } from './chat.ts';

/** Messages by conversation; `undefined` for an entry without readable messages. */
type Chats = readonly (readonly unknown[] | undefined)[];

interface Chat {
  readonly drafts: readonly DraftMessage[];
  /** Texts of all system and developer messages; absent if there are none. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly systemTexts: string[];
  /** Open calls by id; the newest of several. */
  readonly openById: Map<string, Call>;
  /** Open calls of the last step, for results without an id. */
  latest: readonly Call[];
}

/** A call with the position of its part. */
interface Call {
  readonly step: DraftMessage;
  readonly partIndex: number;
  readonly callId: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}

/** A key of every message, and so of every list of messages. */
const ROLE = '"role"';

/** Chat-completions messages: one conversation, or a list of runs with one each, as a document or line by line. */
export const openaiChat: SessionFormat = {
  label: 'OpenAI chat messages (JSON or JSON lines)',
  certainty: 'guess',
  detect: (file) => findChats(file) !== undefined,
  read: readChats,
  keeps: {
    reasons: 'messages run',
  },
};

/** The conversations of a document, or of lines that hold one or a message each; `undefined` if they are not of this format. */
function findChats(file: SourceFile): Chats | undefined {
  const document = file.json() ?? recordsOf(file);
  const isList = Array.isArray(document);
  if (isList && isChat(document)) return [document];
  const chats = (isList ? document : [document]).map(messagesOf);
  return chats[0] !== undefined && chats.some(hasMessages) ? chats : undefined;
}

/** The records of a file whose first record with a role is a chat's; other files are read no further. */
function recordsOf(file: SourceFile): readonly unknown[] | undefined {
  for (const { text } of file.linesWith(ROLE)) {
    const [first] = readJsonLine(text).values;
    if (first === undefined) continue;
    const isMessage = isChat([first]);
    if (!isMessage && !hasMessages(messagesOf(first))) return undefined;
    const { records } = file.lines();
    return isMessage && records.some(isEvent) ? undefined : records;
  }
  return undefined;
}

function hasMessages(chat: readonly unknown[] | undefined): boolean {
  return chat !== undefined && chat.length > 0;
}

function messagesOf(run: unknown): readonly unknown[] | undefined {
  if (!isObject(run)) return undefined;
  const messages = run['traj'] ?? run['messages'];
  if (!Array.isArray(messages)) return undefined;
  return messages.length === 0 || isChat(messages) ? messages : undefined;
}

/** A record without a role among messages is an event of another recorder. */
function isEvent(record: unknown): boolean {
  return isObject(record) && !('role' in record);
}

function readChats(file: SourceFile): readonly Session[] {
  const chats = findChats(file) ?? [];
  const sessions = chats.map((values = [], index) => {
    const tally = createTally();
    if (index === 0) countLosses(file, chats, tally);
    const name = sessionName(file.name, { index, count: chats.length });
    return { name, ...toSession(values, tally) };
  });
  return withMessages(sessions, file.name, 'chats without messages');
}

/** The first session reports the losses of the whole file. */
function countLosses(file: SourceFile, chats: Chats, tally: Tally): void {
  tally.drop('run without messages', chats.filter((chat) => chat === undefined).length);
  countLineFaults(file.lines(), tally);
}

function toSession(values: readonly unknown[], tally: Tally): Omit<Session, 'name'> {
  const { drafts, system } = readChat(values, tally);
  return {
    format: 'openai-chat',
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: false,
    ...finishSession(drafts, tally),
  };
}

/** Reads messages in order. */
function readChat(values: readonly unknown[], tally: Tally): Chat {
  const messages = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - messages.length);
  const drafts: DraftMessage[] = [];
  const systemTexts: string[] = [];
  const reading = { tally, drafts, systemTexts, openById: new Map(), latest: [] };
  for (const message of messages) readMessage(reading, message);
  return { drafts, ...(systemTexts.length > 0 && { system: systemTexts.join('\n\n') }) };
}

function readMessage(reading: Reading, message: ChatMessage): void {
  const { drafts, systemTexts } = reading;
  if (message.role === 'system' || message.role === 'developer') systemTexts.push(textOf(message));
  else if (message.role === 'assistant') readStep(reading, message);
  else if (message.role === 'user') {
    drafts.push({ role: 'user', createdAt: 0, parts: [...toContentParts(message)] });
  } else readResult(reading, message);
}

function readStep(reading: Reading, message: ChatMessage): void {
  const parts = [...toContentParts(message)];
  const step: DraftMessage = { role: 'assistant', createdAt: 0, parts };
  addStep(reading.drafts, step, reading.tally);
  reading.latest = callsIn(message).map((call, index) => ({
    step,
    partIndex: parts.length + index,
    callId: call.id,
    tool: call.function?.name ?? 'unknown',
    input: toInput(call.function?.arguments, reading.tally),
  }));
  for (const call of reading.latest) {
    parts.push(toToolPart(call, { status: 'running', input: call.input }));
    if (call.callId !== undefined) reading.openById.set(call.callId, call);
  }
}

/** Calls in order; old messages hold one call without an id. */
function callsIn({
  tool_calls: calls,
  function_call: only,
}: ChatMessage): readonly ChatMessage['tool_calls'][number][] {
  return only === undefined ? calls : [...calls, { id: undefined, function: only }];
}

function toToolPart({ callId, tool }: Call, state: ToolState): DraftPart {
  return { type: 'tool', callId, tool, state };
}

function readResult(reading: Reading, message: ChatMessage): void {
  const call = findCall(reading, message);
  if (call === undefined) return reading.tally.drop('tool result without a call');
  const { step, partIndex, callId, input } = call;
  const output = textOf(message);
  step.parts[partIndex] = toToolPart(call, { status: 'completed', input, output });
  reading.latest = reading.latest.filter((other) => other !== call);
  if (callId !== undefined) reading.openById.delete(callId);
}

function findCall({ openById, latest }: Reading, message: ChatMessage): Call | undefined {
  const { tool_call_id: callId, name } = message;
  if (callId !== undefined) return openById.get(callId);
  return latest.find(({ tool }) => name === undefined || tool === name);
}
