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
  /** Ids of all messages so far, those of summaries too. */
  readonly seenIds: Set<string>;
  /** The messages that others repeat under new ids and without their usage, by those ids. */
  readonly originals: Map<string, string>;
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
    seenIds: new Set(),
    originals: new Map(),
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
  const { messages, visibleIds, seenIds, replacements } = chat;
  const told = values.filter(isObject);
  noteCopies(chat, told);
  const ids = told.map((message) => idIn(chat, message));
  const isNew = (value: unknown) => !seenIds.has(idIn(chat, kit.fieldsOf(value)));
  const start = told.findIndex((one) => isNew(one) && isUser(one) && !isResponse(one));
  const gone = chat.isReopened ? [] : goneFrom(chat, ids);
  const order = [...messages.keys()];
  const [summary] = gone.length > 0 ? told.slice(start, start + 1) : [];
  if (start >= 0 && summary !== undefined) {
    replacements.push({
      afterId: order.at(-1),
      summary: kit.textOf(contentOf(summary)),
      firstKeptId: ids.slice(start).find((id) => messages.has(id)),
    });
  } else {
    // What went before a message that stayed is only hidden.
    const stayed = order.findLastIndex((id) => ids.includes(id));
    const last = new Set(order.slice(stayed + 1));
    takeBack(
      chat,
      gone.filter((id) => last.has(id)),
    );
    addMessages(chat, values.filter(isNew));
  }
  visibleIds.clear();
  for (const id of ids) for (const known of [visibleIds, seenIds]) known.add(id);
}

/** Finds messages that a list has under new ids, from its end on; outputs may be cleared there. */
function noteCopies(chat: Chat, told: kit.Objects) {
  const { messages, visibleIds, originals } = chat;
  const places = new Map([...messages.keys()].map((id, place) => [id, place]));
  const placeOf = (id: string) => places.get(id) ?? Infinity;
  const copies = told.map((message) => ({ id: idIn(chat, message), key: keyOf(message) }));
  for (const id of goneFrom(
    chat,
    copies.map((copy) => copy.id),
  ).toReversed()) {
    const key = keyOf(messages.get(id) ?? {});
    const at = copies.findLastIndex((copy) => copy.key === key && placeOf(copy.id) > placeOf(id));
    const [copy] = at < 0 ? [] : copies.splice(at);
    if (copy === undefined) continue;
    originals.set(copy.id, id);
    for (const known of [messages, visibleIds]) known.delete(copy.id);
  }
}

function goneFrom({ messages, visibleIds }: Chat, ids: readonly string[]) {
  const kept = new Set(ids);
  return [...visibleIds].filter((id) => !kept.has(id) && isSaid(messages.get(id) ?? {}));
}

/** What a copy has as well: the ids of calls or results, else the newest text. */
function keyOf(message: kit.Fields) {
  const pieces = contentOf(message);
  const called = pieces.map(
    ({ functionCall, functionResponse }) => functionCall ?? functionResponse,
  );
  const ids = kit.objectsIn([...kit.toList(message['toolCalls']), ...called]).map(({ id }) => id);
  const key = ids.length > 0 ? [...new Set(ids)] : pieces.at(-1)?.['text'];
  return JSON.stringify([isUser(message), key]);
}

/** The id of a message, or of the one that it repeats; empty where it has none. */
function idIn({ originals }: Chat, message: kit.Fields) {
  const id = kit.toId(message['id']) ?? '';
  return originals.get(id) ?? id;
}

function isResponse(message: kit.Fields) {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

function takeBack({ recording, ...chat }: Chat, ids: readonly string[]) {
  const { messages, visibleIds, seenIds } = chat;
  for (const id of ids) for (const known of [messages, visibleIds, seenIds]) known.delete(id);
  recording.tally.drop('message that was taken back', ids.length);
}

function addMessages(chat: Chat, values: readonly unknown[]) {
  const { messages, visibleIds, seenIds, originals, recording } = chat;
  for (const message of recording.readObjects(values, 'message that is no object')) {
    const id = kit.toId(message['id']) ?? `#${messages.size}`;
    if (originals.has(id)) continue;
    messages.set(id, message);
    for (const known of [visibleIds, seenIds]) known.add(id);
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
