import { z } from 'zod';
import { groupBy } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { maybeId, maybeText, toText } from '../reading/lenient.ts';
import { createRecording } from '../reading/recording.ts';
import { countLineFaults, createTally, type Tally } from '../reading/tally.ts';
import { noConversation } from '../reading/transcript.ts';
import { type Session, withNames } from '../session.ts';
import { type Fields, gatherMessages, startedBy, type StoredMessage } from './opencode-records.ts';
import { KEPT_WORDS, readSession } from './opencode.ts';

/** Each session, message and part of a stream in its last state. */
interface Reading {
  readonly tally: Tally;
  readonly sessions: Map<string, Fields>;
  /** Sessions that begin in the stream. */
  readonly startedIds: Set<string>;
  readonly infos: Map<string, Fields>;
  readonly parts: Map<string, Fields>;
  /** Errors of sessions by the id of the step under way. */
  readonly errors: Map<string, unknown>;
  /** Parts of which only pieces of text came. */
  readonly unfinishedIds: Set<string>;
}

type EventReader = (reading: Reading, properties: Fields) => void;

/** An event of the server. */
interface OpencodeEvent {
  readonly type: string;
  readonly properties: Fields;
}

/** Kinds of events about a session and its messages. */
const KNOWN_TYPES = new Set([
  'message.updated',
  'message.removed',
  'message.part.updated',
  'message.part.delta',
  'message.part.removed',
  'session.created',
  'session.updated',
  'session.deleted',
  'session.compacted',
  'session.diff',
  'session.error',
  'session.idle',
  'session.status',
]);

/** Subjects of events that are no part of a conversation. */
const OTHER_SUBJECTS = new Set(
  `command file global ide installation lsp mcp permission project pty question server storage
  todo tui vcs workspace worktree`.split(/\s+/),
);

const deltaSchema = z.object({
  messageID: maybeId,
  partID: z.string(),
  field: maybeText,
  delta: z.string(),
});

const readers = new Map<string, EventReader>([
  ['session.created', readCreated],
  ['session.updated', keepSession],
  ['session.error', readError],
  ['message.updated', readMessage],
  ['message.removed', ({ infos }, { messageID }) => void infos.delete(toText(messageID) ?? '')],
  ['message.part.updated', readPart],
  ['message.part.removed', ({ parts }, { partID }) => void parts.delete(toText(partID) ?? '')],
  ['message.part.delta', readDelta],
]);

/** Events of an OpenCode server, one a line; sessions may alternate. */
export const opencodeEvents: SessionFormat = {
  label: 'OpenCode event stream (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isClaimed),
  read: readStream,
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} error from piece pieces put together` },
};

function isClaimed(line: unknown): boolean {
  const event = parseEvent(line);
  return event !== undefined && isMessageEvent(event);
}

/** The event of a line, also in an envelope; `undefined` if there is none. */
function parseEvent(line: unknown): OpencodeEvent | undefined {
  if (!isObject(line)) return undefined;
  const event = [line['event'], line['payload'], line].find(
    (value) =>
      isObject(value) && typeof value['type'] === 'string' && isObject(value['properties']),
  );
  return event as OpencodeEvent | undefined;
}

function isMessageEvent({ type, properties }: OpencodeEvent): boolean {
  return type === 'message.updated' && isMessage(properties['info']);
}

/** Recognizes a message with an id and the id of its session. */
function isMessage(info: unknown): boolean {
  return isObject(info) && typeof info['sessionID'] === 'string' && typeof info['id'] === 'string';
}

/** The first session reports the losses of the whole stream. */
function readStream(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const reading = readEvents(parseEvents(file, tally), tally);
  const pieces = { infos: withErrors(reading), parts: [...reading.parts.values()] };
  const sessions: Omit<Session, 'name'>[] = [];
  for (const thread of splitThreads(reading, gatherMessages(pieces, tally))) {
    const recording = createRecording(sessions.length === 0 ? tally : undefined);
    const facts = readSession(recording, thread);
    // A session that does not begin in the stream goes on with what it does not hold.
    const isPartial = facts.isPartial || !reading.startedIds.has(thread.info.id);
    const session = recording.finish('opencode-events', { ...facts, isPartial });
    if (session.messages.length > 0) sessions.push(session);
  }
  if (sessions.length === 0) throw noConversation(file.name, 'events without messages');
  return withNames(file.name, sessions);
}

/** Sessions in their order, tasks of others last. */
function splitThreads({ sessions }: Reading, messages: readonly StoredMessage[]) {
  const parents = findParents(messages);
  const byId = groupBy(messages, ({ info }) => toText(info['sessionID']) ?? '');
  const threads = [...byId].map(([id, own]) => ({
    info: { parentID: parents.get(id), ...sessions.get(id), id },
    messages: own,
  }));
  return threads.toSorted((a, b) => Number(isTask(a.info)) - Number(isTask(b.info)));
}

/** Parent sessions of tasks by the id of the task. */
function findParents(messages: readonly StoredMessage[]): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const { info, parts } of messages) {
    const { sessionID: parentId } = info;
    for (const id of parts.flatMap((part) => startedBy(part) ?? [])) {
      if (typeof parentId === 'string' && id !== parentId) parents.set(id, parentId);
    }
  }
  return parents;
}

function isTask({ parentID }: Fields): boolean {
  return typeof parentID === 'string';
}

function readEvents(events: readonly OpencodeEvent[], tally: Tally): Reading {
  const reading: Reading = {
    tally,
    sessions: new Map(),
    startedIds: new Set(),
    infos: new Map(),
    parts: new Map(),
    errors: new Map(),
    unfinishedIds: new Set(),
  };
  for (const event of events) {
    if (!isKnown(event)) tally.drop('event of unknown type');
    readers.get(event.type)?.(reading, event.properties);
  }
  const unfinished = [...reading.unfinishedIds].filter((id) => reading.parts.has(id));
  tally.repair('text put together from pieces', unfinished.length);
  return reading;
}

function isKnown({ type }: OpencodeEvent): boolean {
  return KNOWN_TYPES.has(type) || OTHER_SUBJECTS.has(type.slice(0, type.indexOf('.')));
}

function withErrors({ infos, errors }: Reading): readonly Fields[] {
  return [...infos].map(([id, info]) =>
    isOver(info) || !errors.has(id) ? info : { ...info, error: errors.get(id) },
  );
}

function isOver(info: Fields): boolean {
  return info['finish'] !== undefined || info['error'] !== undefined;
}

function parseEvents(file: SourceFile, tally: Tally): readonly OpencodeEvent[] {
  const lines = file.lines();
  const events = lines.records.flatMap((record) => parseEvent(record) ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no event', lines.records.length - events.length);
  return events;
}

function readCreated(reading: Reading, properties: Fields): void {
  const { info } = properties;
  if (isObject(info) && typeof info['id'] === 'string') reading.startedIds.add(info['id']);
  keepSession(reading, properties);
}

function keepSession({ sessions }: Reading, { info }: Fields): void {
  keepLast(sessions, info);
}

function keepLast(records: Map<string, Fields>, record: unknown): void {
  if (isObject(record) && typeof record['id'] === 'string') records.set(record['id'], record);
}

/** Assigns an error of a session to the step under way. */
function readError({ tally, infos, errors }: Reading, { sessionID, error }: Fields): void {
  const steps = [...infos.values()].filter((info) => info['sessionID'] === sessionID);
  const step = steps.findLast((info) => info['role'] === 'assistant');
  if (step === undefined || isOver(step)) return tally.drop('error of no step');
  errors.set(toText(step['id']) ?? '', error);
}

function readMessage({ tally, infos }: Reading, { info }: Fields): void {
  if (isMessage(info)) keepLast(infos, info);
  else tally.drop('message of no session');
}

function readPart({ parts, unfinishedIds }: Reading, { part }: Fields): void {
  keepLast(parts, part);
  if (isObject(part)) unfinishedIds.delete(toText(part['id']) ?? '');
}

/** Adds a piece of text; a part with nothing but pieces counts as text. */
function readDelta({ tally, parts, unfinishedIds }: Reading, properties: Fields): void {
  const piece = deltaSchema.safeParse(properties).data;
  if (piece?.field !== 'text') return tally.drop('piece of no text');
  const { partID: id, messageID } = piece;
  const part = parts.get(id) ?? { id, messageID, type: 'text' };
  const text = toText(part['text']) ?? '';
  parts.set(id, { ...part, text: text + piece.delta });
  unfinishedIds.add(id);
}
