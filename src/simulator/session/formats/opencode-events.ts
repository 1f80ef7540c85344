import { groupBy } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { readRecordings } from '../reading/recording.ts';
import { gatherMessages, type OpencodeMessage, startedBy } from './opencode-records.ts';
import { readSession } from './opencode.ts';

interface Reading {
  readonly tally: kit.Tally;
  readonly sessions: Map<string, kit.Fields>;
  readonly startedIds: Set<unknown>;
  readonly infos: Map<string, kit.Fields>;
  readonly parts: Map<string, kit.Fields>;
  /** Errors of sessions by the id of the step under way. */
  readonly errors: Map<string, unknown>;
  /** Parts of which only pieces of text came. */
  readonly unfinishedIds: Set<unknown>;
}

const KNOWN_TYPES = kit.wordsIn(`
  message.updated message.removed message.part.updated message.part.delta message.part.removed
  session.created session.updated session.deleted session.compacted session.diff session.error
  session.idle session.status`);

const OTHER_SUBJECTS = kit.wordsIn(`
  command file global ide installation lsp mcp permission project pty question server storage
  todo tui vcs workspace worktree`);

const READERS = new Map<string, (reading: Reading, properties: kit.Fields) => void>([
  [
    'session.created',
    ({ sessions, startedIds }, { info }) => {
      startedIds.add(kit.fieldsOf(info)['id']);
      keepLast(sessions, info);
    },
  ],
  ['session.updated', ({ sessions }, { info }) => keepLast(sessions, info)],
  ['session.error', readError],
  ['message.updated', readMessage],
  ['message.removed', ({ infos }, { messageID }) => void infos.delete(kit.orEmpty(messageID))],
  ['message.part.updated', readPart],
  ['message.part.removed', ({ parts }, { partID }) => void parts.delete(kit.orEmpty(partID))],
  ['message.part.delta', readDelta],
]);

/** Events of an OpenCode server, one a line; sessions may alternate. */
export const opencodeEvents: SessionFormat = {
  label: 'OpenCode event stream (JSON lines)',
  detect: (file) =>
    file
      .lines()
      .records.flatMap(parseEvent)
      .some(({ type, properties }) => type === 'message.updated' && isMessage(properties['info'])),
  read: readRecordings({
    empty: 'events without messages',
    numbersSpoken: true,
    items: threadsIn,
    read: (recording, { isStarted, ...thread }) => {
      const facts = readSession(recording, thread);
      // A session that does not begin in the stream goes on with what it does not hold.
      return { ...facts, isPartial: facts.isPartial || !isStarted };
    },
  }),
};

function parseEvent(line: unknown) {
  const { event, payload } = kit.fieldsOf(line);
  const events = kit
    .objectsIn([event, payload, line])
    .flatMap(({ type, properties }) =>
      typeof type === 'string' && isObject(properties) ? [{ type, properties }] : [],
    );
  return events.slice(0, 1);
}

function isMessage(info: unknown) {
  const { sessionID, id } = kit.fieldsOf(info);
  return typeof sessionID === 'string' && typeof id === 'string';
}

function threadsIn(file: SourceFile, tally: kit.Tally) {
  const reading = readEvents(file, tally);
  const { sessions, startedIds, parts, errors } = reading;
  const infos = [...reading.infos].map(([id, info]) =>
    isOver(info) || !errors.has(id) ? info : { ...info, error: errors.get(id) },
  );
  const pieces = { infos, parts: [...parts.values()] };
  const messages = gatherMessages(pieces, tally);
  const parents = findParents(messages);
  const bySession = groupBy(messages, ({ info }) => kit.orEmpty(info['sessionID']));
  const threads = [...bySession].map(([id, own]) => {
    const info = { parentID: parents.get(id), ...sessions.get(id), id };
    return { info, messages: own, isStarted: startedIds.has(id) };
  });
  const isTask = ({ info }: (typeof threads)[number]) => Number(typeof info.parentID === 'string');
  return threads.toSorted((a, b) => isTask(a) - isTask(b));
}

function findParents(messages: readonly OpencodeMessage[]): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const { info, parts } of messages) {
    const { sessionID: parentId } = info;
    for (const id of parts.flatMap((part) => startedBy(part) ?? [])) {
      if (typeof parentId === 'string' && id !== parentId) parents.set(id, parentId);
    }
  }
  return parents;
}

function readEvents(file: SourceFile, tally: kit.Tally) {
  const reading: Reading = {
    tally,
    sessions: new Map(),
    startedIds: new Set(),
    infos: new Map(),
    parts: new Map(),
    errors: new Map(),
    unfinishedIds: new Set(),
  };
  const lines = file.lines();
  const events = lines.records.flatMap(parseEvent);
  kit.countLineFaults(lines, tally);
  tally.drop('line that is no event', lines.records.length - events.length);
  for (const { type, properties } of events) {
    const isOther = OTHER_SUBJECTS.has(type.slice(0, type.indexOf('.')));
    if (!isOther && !KNOWN_TYPES.has(type)) tally.drop('event of unknown type');
    READERS.get(type)?.(reading, properties);
  }
  const unfinished = [...reading.unfinishedIds].filter((id) => reading.parts.has(String(id)));
  tally.repair('text put together from pieces', unfinished.length);
  return reading;
}

function isOver({ finish, error }: kit.Fields) {
  return finish !== undefined || error !== undefined;
}

function keepLast(records: Map<string, kit.Fields>, record: unknown) {
  const { id } = kit.fieldsOf(record);
  if (typeof id === 'string') records.set(id, kit.fieldsOf(record));
}

function readError({ tally, infos, errors }: Reading, { sessionID, error }: kit.Fields) {
  const step = [...infos.values()].findLast(
    (info) => info['sessionID'] === sessionID && info['role'] === 'assistant',
  );
  if (step === undefined || isOver(step)) return tally.drop('error of no step');
  errors.set(kit.orEmpty(step['id']), error);
}

function readMessage({ tally, infos }: Reading, { info }: kit.Fields) {
  if (isMessage(info)) keepLast(infos, info);
  else tally.drop('message of no session');
}

function readPart({ parts, unfinishedIds }: Reading, { part }: kit.Fields) {
  keepLast(parts, part);
  unfinishedIds.delete(kit.fieldsOf(part)['id']);
}

function readDelta({ tally, parts, unfinishedIds }: Reading, piece: kit.Fields) {
  const { partID: id, messageID, field, delta } = piece;
  if (field !== 'text' || typeof id !== 'string' || typeof delta !== 'string')
    return tally.drop('piece of no text');
  const part = parts.get(id) ?? { id, messageID, type: 'text' };
  parts.set(id, { ...part, text: `${kit.orEmpty(part['text'])}${delta}` });
  unfinishedIds.add(id);
}
