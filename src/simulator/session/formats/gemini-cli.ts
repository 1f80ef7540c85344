import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import { toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { readRecordLines, type Tally } from '../reading/tally.ts';
import type { RecordedCompaction } from '../session.ts';
import {
  contentOf,
  type GeminiMessage,
  isSaid,
  isStep,
  isUser,
  parseMessage,
  type Places,
  readMessages,
} from './gemini-turns.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A replacement of the history by something shorter. */
interface Replacement {
  /** The last message before it. */
  readonly afterId: string | undefined;
  readonly summary: string;
  /** The first message that stayed. */
  readonly firstKeptId: string | undefined;
}

/** The messages of a chat by id, and the replacements. */
interface ChatLog {
  readonly messages: Map<string, GeminiMessage>;
  readonly replacements: Replacement[];
}

interface Replay extends ChatLog {
  readonly tally: Tally;
  /** Ids of the messages that the model saw last; the others were replaced. */
  readonly visibleIds: Set<string>;
  /** The agent was started anew, and tells what it knows before the next message. */
  isReopened: boolean;
  /** Number of messages without an id. */
  namelessCount: number;
}

/** Chats of Gemini CLI: one document, or later a log of messages and updates. */
export const geminiCli: SessionFormat = {
  label: 'Gemini CLI chat (JSON or JSON lines)',
  certainty: 'mark',
  detect: (file) => isChat(file.json()) || isLog(file),
  read: readRecording(
    { format: 'gemini-cli', empty: 'a chat without messages', atPrompt: 'in-front' },
    readChat,
  ),
  keeps: {
    tools:
      'run_shell_command read_many_files search_file_content list_directory write_todos google_web_search save_memory',
    arguments: 'is_background',
    reasons: 'taken',
  },
};

function isChat(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { messages, history } = document;
  if (isHeader(document) && Array.isArray(messages)) return messages.some(isConversation);
  if (!Array.isArray(history)) return false;
  return history.some((turn) => Array.isArray(turn?.parts) && isConversation(turn));
}

function isHeader(value: unknown): boolean {
  if (!isObject(value)) return false;
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string';
}

function isConversation(value: unknown): boolean {
  const message = isObject(value) ? parseMessage(value) : undefined;
  if (message === undefined || !(isUser(message) || isStep(message))) return false;
  return message.content !== undefined || message.parts !== undefined;
}

function isLog(file: SourceFile): boolean {
  const { records } = file.lines();
  return records.some(isHeader) && records.some(isLogEntry);
}

function isLogEntry(value: unknown): boolean {
  if (!isObject(value) || isHeader(value)) return false;
  const { $set: update, id } = value;
  if (typeof id === 'string') return isConversation(value);
  if (!isObject(update) || !Array.isArray(update['messages'])) return false;
  return update['messages'].some(isConversation);
}

function readChat(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const records = readRecordLines(file.lines(), toFields, tally);
  // An early document has its turns in `history`.
  const log = replayLog(
    records.flatMap((record) => (Array.isArray(record['history']) ? record['history'] : [record])),
    tally,
  );
  const places = readMessages(recording, log.messages);
  const compactions = log.replacements.flatMap((each) => toCompaction(each, places));
  recording.compactions.push(...compactions.toSorted((a, b) => a.messageIndex - b.messageIndex));
  const header = records.find(isHeader);
  return {
    sessionId: toText(header?.['sessionId']),
    isSide: header?.['kind'] === 'subagent',
    isPartial: recording.beginsWithStep(),
    isOutputFinal: true,
  };
}

function toFields(line: unknown): Fields | undefined {
  return isObject(line) ? line : undefined;
}

/** Rebuilds a chat from messages, rewritten messages and updates. */
function replayLog(records: readonly unknown[], tally: Tally): ChatLog {
  const log: ChatLog = { messages: new Map(), replacements: [] };
  const replay: Replay = {
    ...log,
    tally,
    visibleIds: new Set(),
    isReopened: false,
    namelessCount: 0,
  };
  for (const record of records) if (isObject(record)) replayRecord(replay, record);
  return log;
}

function replayRecord(replay: Replay, record: Fields): void {
  const { $rewindTo: rewoundId, $set: update } = record;
  const { messages: replaced } = isObject(update) ? update : record;
  if (isHeader(record)) replay.isReopened = replay.messages.size > 0;
  if (typeof rewoundId === 'string') rewind(replay, rewoundId);
  else if (Array.isArray(replaced)) replaceMessages(replay, replaced);
  else if (!('$set' in record) && !('sessionId' in record)) {
    replay.isReopened = false;
    addMessage(replay, record);
  }
}

/** Removes a message and all that follow; everything where there is no such message. */
function rewind(replay: Replay, id: string): void {
  const ids = [...replay.messages.keys()];
  takeBack(replay, ids.slice(Math.max(0, ids.indexOf(id))));
}

/** Applies a new list of messages. Known messages keep their first form, which later clearing does not lose. */
function replaceMessages(replay: Replay, values: readonly unknown[]): void {
  const { messages, visibleIds } = replay;
  const told = values.flatMap((value) => parseMessage(value) ?? []);
  const toldIds = new Set(told.map(({ id }) => id));
  const gone = [...visibleIds].filter((id) => !toldIds.has(id) && isSaid(messages.get(id)));
  const isNew = ({ id }: GeminiMessage) => id === undefined || !visibleIds.has(id);
  const summary = told.find((message) => isNew(message) && isUser(message) && !isResponse(message));
  if (replay.isReopened) restoreMessages(replay, told);
  else if (gone.length > 0 && summary !== undefined) pushReplacement(replay, told, summary);
  else if (gone.length > 0) takeBack(replay, gone);
  else insertMessages(replay, values);
}

/** Applies a list of a chat that goes on: its first forms are recorded already, with their usage. */
function restoreMessages({ messages, visibleIds }: Replay, told: readonly GeminiMessage[]): void {
  visibleIds.clear();
  for (const message of told) {
    const { id } = message;
    if (id === undefined) continue;
    visibleIds.add(id);
    if (!messages.has(id)) messages.set(id, message);
  }
}

function isResponse(message: GeminiMessage): boolean {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

function pushReplacement(
  { messages, replacements, visibleIds }: Replay,
  told: readonly GeminiMessage[],
  summary: GeminiMessage,
): void {
  const ids = told.flatMap(({ id }) => id ?? []);
  replacements.push({
    afterId: [...messages.keys()].at(-1),
    summary: textOf(contentOf(summary)),
    firstKeptId: ids.find((id) => messages.has(id)),
  });
  visibleIds.clear();
  for (const id of ids) visibleIds.add(id);
}

function takeBack({ messages, visibleIds, tally }: Replay, ids: readonly string[]): void {
  for (const id of ids) {
    messages.delete(id);
    visibleIds.delete(id);
  }
  tally.drop('message that was taken back', ids.length);
}

function insertMessages(replay: Replay, values: readonly unknown[]): void {
  for (const value of values) {
    const id = isObject(value) ? value['id'] : undefined;
    if (typeof id !== 'string' || !replay.visibleIds.has(id)) addMessage(replay, value);
  }
}

function addMessage(replay: Replay, value: unknown): void {
  const { messages, visibleIds, tally } = replay;
  const message = parseMessage(value);
  if (message === undefined) return tally.drop('message that is no object');
  const id = message.id ?? `#${replay.namelessCount++}`;
  messages.set(id, message);
  visibleIds.add(id);
}

/** The compaction of a replacement; none where nothing precedes it. */
function toCompaction(
  { afterId = '', firstKeptId = '', summary }: Replacement,
  places: Places,
): readonly RecordedCompaction[] {
  const messageIndex = places.get(afterId)?.after ?? 0;
  const firstKeptMessageIndex = places.get(firstKeptId)?.before;
  if (messageIndex === 0) return [];
  const isKept = firstKeptMessageIndex !== undefined && firstKeptMessageIndex < messageIndex;
  const told = { ...(summary !== '' && { summary }), ...(isKept && { firstKeptMessageIndex }) };
  return [{ kind: 'full', messageIndex, ...told }];
}
