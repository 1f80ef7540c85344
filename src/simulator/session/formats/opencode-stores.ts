import { isObject, parseJson } from '../../lib/json.ts';
import type { FoundEntry } from '../files/folder.ts';
import { endOfValue } from '../files/source-file.ts';
import type { Database, DatabaseRow, SessionFormat, SourceFile, Surroundings } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { eachRecording, readRecording, readRecordings } from '../reading/recording.ts';
import { gatherMessages, type Pieces } from './opencode-records.ts';
import { isTask, readSession, type StoredSession } from './opencode.ts';

interface FoundExport extends Readonly<Record<'start' | 'end', number>> {
  readonly session: StoredSession;
}

const TABLES = ['session', 'message', 'part'];

/** The database of OpenCode since 1.2.0, and of Kilo: tables with JSON in `data`. */
export const opencodeDatabase: SessionFormat = {
  label: 'OpenCode and Kilo database (SQLite)',
  detect: ({ database }) => TABLES.every((table) => database?.tables.has(table) === true),
  // The sessions of people come first, then those of tasks; each oldest first.
  readEach: (file) => {
    const { database } = file;
    const rows = database?.rows('session').map((row) => ({ row, info: toInfo(row) })) ?? [];
    const sorted = rows.toSorted(
      (a, b) => Number(isTask(a.info)) - Number(isTask(b.info)) || byTime(a.row, b.row),
    );
    return eachRecording(file, sorted, {
      empty: 'a database without messages',
      numbersSpoken: true,
      read: (recording, { row, info }) => {
        const messages = database ? messagesOf(database, row, recording.tally) : [];
        return readSession(recording, { info, messages });
      },
    });
  },
};

/** Unclosed braces that are tolerated in log lines before an export. */
const MAX_FALSE_STARTS = 16;

/** Sessions as `opencode export` prints them, one after another. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  detect: (file) => {
    const document = file.json();
    if (document !== undefined) return toExport(document) !== undefined;
    return searchExports(file.text).next().done !== true;
  },
  read: readRecordings({
    empty: 'an export without messages',
    numbersSpoken: true,
    items: exportsIn,
    read: readSession,
  }),
};

const OTHER_TYPES = kit.wordsIn('session_diff model');

/** The feed that OpenCode's server returns for a shared session. */
export const opencodeShare: SessionFormat = {
  label: 'OpenCode share feed (JSON)',
  detect: (file) => dataOf(file.json(), 'session').length > 0,
  read: readRecording({ empty: 'a share without messages' }, (recording, file) => {
    const rows = file.json();
    const [info, ...others] = dataOf(rows, 'session');
    const pieces = { infos: dataOf(rows, 'message'), parts: dataOf(rows, 'part') };
    if (!Array.isArray(rows) || info === undefined || pieces.infos.length === 0) return;
    const { tally } = recording;
    const known = 1 + others.length + pieces.infos.length + pieces.parts.length;
    const silent = kit.objectsIn(rows).filter(({ type }) => OTHER_TYPES.has(type)).length;
    tally.drop('unknown row', rows.length - silent - known);
    return readSession(recording, { info, messages: gatherMessages(pieces, tally) });
  }),
};

const EXTENSION = /\.json$/i;
/** Levels from a session's file (`session/<project>/<session>.json`) up to the root. */
const FOLDERS_TO_ROOT = 2;
const MESSAGES = 'message';
const PARTS = 'part';

/** OpenCode's storage before its database: one file per session, message and part. */
export const opencodeStorage: SessionFormat = {
  label: 'OpenCode storage (one JSON file per record)',
  readsAround: true,
  detect: (file) => isSessionInfo(file.json()),
  read: readRecording({}, (recording, file) => {
    const info = file.json();
    if (!isSessionInfo(info)) return undefined;
    const pieces = readPieces(file.surroundings, info.id, recording.tally);
    const messages = gatherMessages(pieces, recording.tally);
    return readSession(recording, { info, messages });
  }),
};

const SESSIONS = 'session';

/** Entries of a folder without the messages, parts and lists of a storage tree. */
export function withoutPieces(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const folders = new Set(entries.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : [])));
  const isTree = [SESSIONS, MESSAGES, PARTS].every((name) => folders.has(name));
  return isTree ? entries.filter(({ name }) => name === SESSIONS) : entries;
}

function byTime(one: DatabaseRow, other: DatabaseRow) {
  const apart = Number(one['time_created']) - Number(other['time_created']);
  return apart || (String(one['id']) < String(other['id']) ? -1 : 1);
}

function toInfo({ revert, ...row }: DatabaseRow) {
  return {
    id: row['id'],
    parentID: row['parent_id'],
    version: row['version'],
    directory: row['directory'],
    revert: parseJson(kit.orEmpty(revert)),
  };
}

function messagesOf(database: Database, { id }: DatabaseRow, tally: kit.Tally) {
  const recordsIn = (table: string): kit.Objects =>
    database
      .rows(table, { column: 'session_id', value: String(id) })
      .toSorted(byTime)
      .flatMap((row) => recordOf(row, tally));
  return gatherMessages({ infos: recordsIn('message'), parts: recordsIn('part') }, tally);
}

function recordOf({ data, id, message_id: messageID }: DatabaseRow, tally: kit.Tally) {
  const fields = typeof data === 'string' ? parseJson(data) : undefined;
  if (isObject(fields)) return [{ ...fields, id, ...(messageID !== undefined && { messageID }) }];
  tally.drop('broken record');
  return [];
}

function toExport(value: unknown) {
  const { info, messages } = kit.fieldsOf(value);
  if (!isObject(info) || !Array.isArray(messages)) return undefined;
  const isOwn =
    messages.length === 0
      ? typeof info['id'] === 'string'
      : kit.objectsIn(messages).some((one) => isObject(one['info']) && Array.isArray(one['parts']));
  return isOwn ? { info, messages } : undefined;
}

function* searchExports(text: string): Generator<FoundExport, void, void> {
  if (!text.includes('"messages"') || !text.includes('"parts"')) return;
  let falseStarts = 0;
  let start = text.indexOf('{');
  while (start !== -1 && falseStarts < MAX_FALSE_STARTS) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    const session = toExport(value);
    if (session !== undefined) yield { session, start, end };
    if (session !== undefined) falseStarts = 0;
    else if (value === undefined) falseStarts++;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
}

function exportsIn(file: SourceFile, tally: kit.Tally) {
  const document = toExport(file.json());
  const found = document ? [] : [...searchExports(file.text)];
  const exports = document ? [document] : found.map(({ session }) => session);
  tally.drop('line that is no export', document ? 0 : countOtherLines(file.text, found));
  const last = new Map(exports.map((each) => [kit.toId(each.info['id']), each]));
  const kept = exports.filter((each) => {
    const id = kit.toId(each.info['id']);
    return id === undefined || last.get(id) === each;
  });
  tally.drop('earlier export of a session', exports.length - kept.length);
  return kept.toSorted((a, b) => Number(isTask(a.info)) - Number(isTask(b.info)));
}

function countOtherLines(text: string, found: readonly FoundExport[]) {
  const ends = [0, ...found.map(({ end }) => end)];
  const gaps = ends.map((end, index) => text.slice(end, found[index]?.start));
  return gaps.flatMap((gap) => gap.split('\n')).filter((line) => line.trim() !== '').length;
}

function dataOf(rows: unknown, type: string) {
  const data = kit.objectsIn(rows).flatMap((row) => (row['type'] === type ? [row['data']] : []));
  return kit.objectsIn(data).filter(({ id }) => typeof id === 'string');
}

/** Recognizes a session by its project; messages have ids and times too. */
function isSessionInfo(value: unknown): value is kit.Fields & { readonly id: string } {
  if (!isObject(value) || 'sessionID' in value || 'messages' in value) return false;
  const { id, projectID, time } = value;
  return typeof id === 'string' && typeof projectID === 'string' && isObject(time);
}

/** Parts lie in one folder per message, or all in one. */
function readPieces(around: Surroundings, sessionId: string, tally: kit.Tally): Pieces {
  const filesIn = (...names: readonly string[]) =>
    around
      .filesIn({ up: FOLDERS_TO_ROOT, names })
      .filter(({ name }) => EXTENSION.test(name))
      .flatMap((nearby) => {
        const { name } = nearby;
        const fields = parseJson(nearby.readText());
        if (isObject(fields)) return [{ name, fields }];
        tally.drop('broken file');
        return [];
      });
  // The name of a file is the id of its record.
  const infos = filesIn(MESSAGES, sessionId).map(({ name, fields }) => {
    return { ...fields, id: kit.toText(fields['id']) ?? name.replace(EXTENSION, '') };
  });
  const ids = new Set(infos.map(({ id }) => id));
  const own = [...ids].flatMap((messageID) =>
    filesIn(PARTS, messageID).map(({ fields }) => ({ ...fields, messageID })),
  );
  if (own.length > 0) return { infos, parts: own };
  const all = filesIn(PARTS).map(({ fields }) => fields);
  return { infos, parts: all.filter(({ messageID }) => ids.has(kit.orEmpty(messageID))) };
}
