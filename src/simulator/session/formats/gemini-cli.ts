import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import {
  contentOf,
  GEMINI_BLOCKS,
  isStep,
  isUser,
  type Places,
  readMessages,
} from './gemini-contents.ts';

interface Replacement {
  readonly afterId: string | undefined;
  readonly summary: string;
  readonly firstKeptId: string | undefined;
}

interface Chat {
  readonly recording: Recording;
  /** Messages by id, each in its first form, which later clearing does not lose. */
  readonly messages: Map<string, kit.Fields>;
  readonly replacements: Replacement[];
  /** Ids of the messages that the model saw last; the others were replaced. */
  readonly visibleIds: Set<string>;
  /** The agent was started anew, and tells what it knows before the next message. */
  isReopened: boolean;
}

/** Chats of Gemini CLI: one document, or later a log of messages and updates. */
export const geminiCli: SessionFormat = {
  label: 'Gemini CLI chat (JSON or JSON lines)',
  detect: (file) => isDocument(file.json()) || kit.hasLines(file, isHeader, isLogEntry),
  read: readRecording({ empty: 'a chat without messages', ...GEMINI_BLOCKS }, readChat),
};

function isDocument(document: unknown) {
  const { messages, history } = kit.fieldsOf(document);
  if (isHeader(document) && Array.isArray(messages)) return messages.some(isConversation);
  return kit
    .objectsIn(history)
    .some((turn) => Array.isArray(turn['parts']) && isConversation(turn));
}

function isLogEntry(value: unknown) {
  const { $set: update, id } = kit.fieldsOf(value);
  if (isHeader(value)) return false;
  if (typeof id === 'string') return isConversation(value);
  return kit.toList(kit.fieldsOf(update)['messages']).some(isConversation);
}

function isHeader(value: unknown) {
  const { sessionId, projectHash } = kit.fieldsOf(value);
  return typeof sessionId === 'string' && typeof projectHash === 'string';
}

function isConversation(value: unknown) {
  const message = kit.fieldsOf(value);
  return isSaid(message) && (message['content'] ?? message['parts']) !== undefined;
}

function isSaid(message: kit.Fields) {
  return isUser(message) || isStep(message);
}

function readChat(recording: Recording, file: SourceFile): Facts {
  const records = recording.readLines(file.lines());
  const chat: Chat = {
    recording,
    messages: new Map(),
    replacements: [],
    visibleIds: new Set(),
    isReopened: false,
  };
  for (const record of records) {
    // An early document has its turns in `history`.
    const { history } = record;
    if (Array.isArray(history)) addMessages(chat, history);
    else replayRecord(chat, record);
  }
  const places = readMessages(recording, chat.messages);
  for (const each of chat.replacements) readReplacement(recording, each, places);
  const header = kit.fieldsOf(records.find(isHeader));
  return {
    sessionId: header['sessionId'],
    isSide: header['kind'] === 'subagent',
    isPartial: recording.beginsWithStep(),
    isOutputFinal: true,
  };
}

function replayRecord(chat: Chat, record: kit.Fields): void {
  const { messages } = chat;
  const { $rewindTo: rewoundId, $set: update, sessionId } = record;
  const { messages: replaced } = isObject(update) ? update : record;
  if (isHeader(record)) chat.isReopened = messages.size > 0;
  if (typeof rewoundId === 'string') {
    // That message goes too; everything where there is no such message.
    const ids = [...messages.keys()];
    takeBack(chat, ids.slice(Math.max(0, ids.indexOf(rewoundId))));
  } else if (Array.isArray(replaced)) replaceMessages(chat, replaced);
  else if (update === undefined && sessionId === undefined) {
    chat.isReopened = false;
    addMessages(chat, [record]);
  }
}

function replaceMessages(chat: Chat, values: readonly unknown[]) {
  const { messages, visibleIds, replacements } = chat;
  const told = values.filter(isObject);
  const ids = told.flatMap(({ id }) => kit.toId(id) ?? []);
  const isNew = (value: unknown) => !visibleIds.has(kit.toId(kit.fieldsOf(value)['id']) ?? '');
  const isGone = (id: string) => !ids.includes(id) && isSaid(kit.fieldsOf(messages.get(id)));
  const gone = [...visibleIds].filter(isGone);
  const summary = told.find((message) => isNew(message) && isUser(message) && !isResponse(message));
  if (chat.isReopened) {
    // The first forms are recorded already, with their usage.
    const own = told.filter(({ id }) => kit.toId(id) !== undefined && !messages.has(String(id)));
    addMessages(chat, own);
    showOnly(chat, ids);
  } else if (gone.length > 0 && summary !== undefined) {
    replacements.push({
      afterId: [...messages.keys()].at(-1),
      summary: kit.textOf(contentOf(summary)),
      firstKeptId: ids.find((id) => messages.has(id)),
    });
    showOnly(chat, ids);
  } else if (gone.length > 0) takeBack(chat, gone);
  else addMessages(chat, values.filter(isNew));
}

function showOnly({ visibleIds }: Chat, ids: readonly string[]) {
  visibleIds.clear();
  for (const id of ids) visibleIds.add(id);
}

function isResponse(message: kit.Fields) {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

function takeBack({ messages, visibleIds, recording }: Chat, ids: readonly string[]) {
  for (const id of ids) {
    messages.delete(id);
    visibleIds.delete(id);
  }
  recording.tally.drop('message that was taken back', ids.length);
}

function addMessages({ messages, visibleIds, recording }: Chat, values: readonly unknown[]) {
  for (const message of recording.readObjects(values, 'message that is no object')) {
    const id = kit.toId(message['id']) ?? `#${messages.size}`;
    messages.set(id, message);
    visibleIds.add(id);
  }
}

function readReplacement(
  recording: Recording,
  { afterId = '', firstKeptId = '', summary }: Replacement,
  places: Places,
): void {
  const messageIndex = places.get(afterId)?.after ?? 0;
  const keptIndex = places.get(firstKeptId)?.before ?? messageIndex;
  const firstKeptMessageIndex = keptIndex < messageIndex ? keptIndex : undefined;
  recording.addCompaction({ summary, firstKeptMessageIndex }, messageIndex);
}
