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
  /** The ids so far, each with that of its message: of copies that a list has under new ids, the first. */
  readonly knownIds: Map<string, string>;
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
    knownIds: new Map(),
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
  const { messages, visibleIds, knownIds, replacements } = chat;
  const told = values.filter(isObject);
  noteCopies(chat, told);
  const ids = idsOf(chat, told);
  const isNew = (value: unknown) => !knownIds.has(kit.orEmpty(kit.fieldsOf(value)['id']));
  const start = told.findIndex((one) => isNew(one) && isUser(one) && !isResponse(one));
  const gone = chat.isReopened ? [] : goneFrom(chat, ids);
  const order = [...messages.keys()];
  if (start >= 0 && gone.length > 0) {
    replacements.push({
      afterId: order.at(-1),
      summary: kit.textOf(contentOf(told[start] ?? {})),
      firstKeptId: idsOf(chat, told.slice(start)).find((id) => messages.has(id)),
    });
  } else {
    // What went before a message that stayed is only hidden.
    const last = new Set(order.slice(order.findLastIndex((id) => ids.includes(id)) + 1));
    takeBack(
      chat,
      gone.filter((id) => last.has(id)),
    );
    addMessages(chat, values.filter(isNew));
  }
  // A new start tells the messages piece by piece.
  if (!chat.isReopened) visibleIds.clear();
  for (const id of ids) note(chat, id);
}

/** Finds messages that a list has under new ids, from its end on; outputs may be cleared there. */
function noteCopies(chat: Chat, told: kit.Objects) {
  const { messages, visibleIds, knownIds } = chat;
  const places = new Map([...messages.keys()].map((id, place) => [id, place]));
  const placeOf = (id: string) => places.get(id) ?? Infinity;
  const copies = told.flatMap((one) => idsOf(chat, [one]).map((id) => ({ id, key: keyOf(one) })));
  for (const id of goneFrom(chat, idsOf(chat, told)).toReversed()) {
    const key = keyOf(messages.get(id) ?? {});
    const at = copies.findLastIndex((copy) => copy.key === key && placeOf(copy.id) > placeOf(id));
    const [copy] = at < 0 ? [] : copies.splice(at);
    if (copy === undefined) continue;
    knownIds.set(copy.id, id);
    for (const held of [messages, visibleIds]) held.delete(copy.id);
  }
}

function goneFrom({ messages, visibleIds }: Chat, ids: readonly string[]) {
  const kept = new Set(ids);
  return [...visibleIds].filter((id) => !kept.has(id) && isSaid(messages.get(id) ?? {}));
}

function idsOf({ knownIds }: Chat, told: kit.Objects) {
  return told.flatMap(({ id }) => knownIds.get(kit.orEmpty(id)) ?? kit.toId(id) ?? []);
}

function note({ visibleIds, knownIds }: Chat, id: string) {
  visibleIds.add(id);
  knownIds.set(id, id);
}

/** Keeps to what a copy has as well: the ids of calls or results, else the newest text. */
function keyOf(message: kit.Fields) {
  const pieces = contentOf(message);
  const called = pieces.map(
    ({ functionCall, functionResponse }) => functionCall ?? functionResponse,
  );
  const ids = kit.objectsIn([...kit.toList(message['toolCalls']), ...called]).map(({ id }) => id);
  return JSON.stringify([
    isUser(message),
    ...(ids.length > 0 ? new Set(ids) : [pieces.at(-1)?.['text']]),
  ]);
}

function isResponse(message: kit.Fields) {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

function takeBack({ recording, messages, visibleIds, knownIds }: Chat, ids: readonly string[]) {
  for (const id of ids) for (const held of [messages, visibleIds, knownIds]) held.delete(id);
  recording.tally.drop('message that was taken back', ids.length);
}

function addMessages(chat: Chat, values: readonly unknown[]) {
  const { messages, knownIds, recording } = chat;
  for (const message of recording.readObjects(values, 'message that is no object')) {
    const id = kit.toId(message['id']) ?? `#${messages.size}`;
    if ((knownIds.get(id) ?? id) !== id) continue;
    messages.set(id, message);
    note(chat, id);
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
