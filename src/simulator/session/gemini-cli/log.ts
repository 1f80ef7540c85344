import { isObject } from '../../lib/json.ts';
import type { Tally } from '../reading/tally.ts';
import {
  contentOf,
  type GeminiMessage,
  isResponse,
  isStep,
  isUser,
  parseMessage,
} from './record.ts';

/** The history of a chat was replaced by something shorter. */
export interface Replacement {
  /** The last message before it. */
  readonly afterId: string | undefined;
  readonly summary: string;
  /** The first message that stayed. */
  readonly firstKeptId: string | undefined;
}

/** The messages of a chat as they came, by id, and what was replaced. */
export interface ChatLog {
  readonly messages: Map<string, GeminiMessage>;
  readonly replacements: Replacement[];
}

interface Replay extends ChatLog {
  readonly tally: Tally;
  /** What the model saw last; other messages are there, but were replaced. */
  readonly visibleIds: Set<string>;
  /** How many messages came without an id. */
  namelessCount: number;
}

/** Puts a chat together from messages that are written again when they change, and from updates between them. */
export function replayLog(records: readonly unknown[], tally: Tally): ChatLog {
  const log: ChatLog = { messages: new Map(), replacements: [] };
  const replay: Replay = { ...log, tally, visibleIds: new Set(), namelessCount: 0 };
  for (const record of records) {
    if (isObject(record)) replayRecord(replay, record);
  }
  return log;
}

function replayRecord(replay: Replay, record: Readonly<Record<string, unknown>>): void {
  const { $rewindTo: rewoundId, $set: update } = record;
  const { messages: replaced } = isObject(update) ? update : record;
  if (typeof rewoundId === 'string') rewind(replay, rewoundId);
  else if (Array.isArray(replaced)) replaceMessages(replay, replaced);
  else if (!('$set' in record) && !('sessionId' in record)) addMessage(replay, record);
}

function addMessage(replay: Replay, value: unknown): void {
  const { messages, visibleIds, tally } = replay;
  const message = parseMessage(value);
  if (message === undefined) return tally.drop('message that is no object');
  const id = message.id ?? `#${replay.namelessCount++}`;
  messages.set(id, message);
  visibleIds.add(id);
}

/** What follows the message, itself included, is gone; where there is no such message, everything is. */
function rewind({ messages, visibleIds, tally }: Replay, id: string): void {
  const ids = [...messages.keys()];
  const gone = ids.slice(Math.max(0, ids.indexOf(id)));
  for (const each of gone) {
    messages.delete(each);
    visibleIds.delete(each);
  }
  tally.drop('message that was taken back', gone.length);
}

/** Messages that are told again keep the form that they had first: what was cleared from them later is not lost. */
function replaceMessages(replay: Replay, values: readonly unknown[]): void {
  const { messages, visibleIds } = replay;
  const told = values.flatMap((value) => parseMessage(value) ?? []);
  const toldIds = new Set(told.map(({ id }) => id));
  const gone = [...visibleIds].filter((id) => !toldIds.has(id) && isSaid(messages.get(id)));
  const isNew = ({ id }: GeminiMessage) => id === undefined || !visibleIds.has(id);
  const summary = told.find((message) => isNew(message) && isUser(message) && !isResponse(message));
  if (gone.length > 0 && summary !== undefined) pushReplacement(replay, told, summary);
  else if (gone.length > 0) takeBack(replay, gone);
  else insertMessages(replay, values);
}

function pushReplacement(
  { messages, replacements, visibleIds }: Replay,
  told: readonly GeminiMessage[],
  summary: GeminiMessage,
): void {
  const ids = told.flatMap(({ id }) => id ?? []);
  replacements.push({
    afterId: [...messages.keys()].at(-1),
    summary: contentOf(summary)
      .flatMap(({ text }) => text ?? [])
      .join('\n'),
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

function isSaid(message: GeminiMessage | undefined): boolean {
  return message !== undefined && (isUser(message) || isStep(message));
}
