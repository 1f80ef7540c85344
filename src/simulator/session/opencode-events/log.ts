import { isObject } from '../../lib/json.ts';
import type { Fields } from '../opencode/gather.ts';
import { toText } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import { isKnown, isMessage, type OpencodeEvent, parseDelta } from './event.ts';

/** What a stream of events comes to: each session, message and part as it was last. */
export interface EventLog {
  readonly sessions: ReadonlyMap<string, Fields>;
  /** Sessions whose first event is in the stream. */
  readonly startedIds: ReadonlySet<string>;
  readonly infos: readonly Fields[];
  readonly parts: readonly Fields[];
}

interface Reading {
  readonly tally: Tally;
  readonly sessions: Map<string, Fields>;
  readonly startedIds: Set<string>;
  readonly infos: Map<string, Fields>;
  readonly parts: Map<string, Fields>;
  /** What is said of a session as a whole, by the step that was under way. */
  readonly errors: Map<string, unknown>;
  /** Parts whose texts are known only by the pieces that came. */
  readonly unfinishedIds: Set<string>;
}

type EventReader = (reading: Reading, properties: Fields) => void;

const readers = new Map<string, EventReader>([
  ['session.created', readCreated],
  ['session.updated', readSession],
  ['session.error', readError],
  ['message.updated', readMessage],
  ['message.removed', ({ infos }, { messageID }) => void infos.delete(toText(messageID) ?? '')],
  ['message.part.updated', readPart],
  ['message.part.removed', ({ parts }, { partID }) => void parts.delete(toText(partID) ?? '')],
  ['message.part.delta', readDelta],
]);

/** Reads events in the order in which they came. */
export function readEvents(events: readonly OpencodeEvent[], tally: Tally): EventLog {
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
  const { sessions, startedIds, parts, unfinishedIds } = reading;
  tally.repair(
    'text put together from pieces',
    [...unfinishedIds].filter((id) => parts.has(id)).length,
  );
  return { sessions, startedIds, infos: withErrors(reading), parts: [...parts.values()] };
}

function readCreated(reading: Reading, properties: Fields): void {
  const { info } = properties;
  if (isObject(info) && typeof info['id'] === 'string') reading.startedIds.add(info['id']);
  readSession(reading, properties);
}

function readSession({ sessions }: Reading, { info }: Fields): void {
  keepLast(sessions, info);
}

function readMessage({ tally, infos }: Reading, { info }: Fields): void {
  if (isMessage(info)) keepLast(infos, info);
  else tally.drop('message of no session');
}

function readPart({ parts, unfinishedIds }: Reading, { part }: Fields): void {
  keepLast(parts, part);
  if (isObject(part)) unfinishedIds.delete(toText(part['id']) ?? '');
}

/** A part of which nothing but pieces came is taken for a text. */
function readDelta({ tally, parts, unfinishedIds }: Reading, properties: Fields): void {
  const piece = parseDelta(properties);
  if (piece?.field !== 'text') return tally.drop('piece of no text');
  const { partID: id, messageID } = piece;
  const part = parts.get(id) ?? { id, messageID, type: 'text' };
  const text = typeof part['text'] === 'string' ? part['text'] : '';
  parts.set(id, { ...part, text: text + piece.delta });
  unfinishedIds.add(id);
}

/** An error of a session befalls the step that is under way. */
function readError({ tally, infos, errors }: Reading, { sessionID, error }: Fields): void {
  const steps = [...infos.values()].filter((info) => info['sessionID'] === sessionID);
  const step = steps.findLast((info) => info['role'] === 'assistant');
  if (step === undefined || isOver(step)) return tally.drop('error of no step');
  errors.set(toText(step['id']) ?? '', error);
}

function withErrors({ infos, errors }: Reading): readonly Fields[] {
  return [...infos].map(([id, info]) =>
    isOver(info) || !errors.has(id) ? info : { ...info, error: errors.get(id) },
  );
}

function isOver(info: Fields): boolean {
  return info['finish'] !== undefined || info['error'] !== undefined;
}

function keepLast(records: Map<string, Fields>, record: unknown): void {
  if (isObject(record) && typeof record['id'] === 'string') records.set(record['id'], record);
}
