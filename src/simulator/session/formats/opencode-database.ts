import { isObject, parseJson } from '../../lib/json.ts';
import type { Database, DatabaseRow, PlacedSession, SessionFormat, SourceFile } from '../format.ts';
import { createRecording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { noConversation } from '../reading/transcript.ts';
import { sessionName } from '../session.ts';
import { type Fields, gatherMessages, type StoredMessage } from './opencode-records.ts';
import { KEPT_WORDS, readSession } from './opencode.ts';

const TABLES = ['session', 'message', 'part'];

/** The database of OpenCode since 1.2.0, and of Kilo: a table each of sessions, messages and parts, with JSON in `data`. */
export const opencodeDatabase: SessionFormat = {
  label: 'OpenCode and Kilo database (SQLite)',
  certainty: 'mark',
  detect: ({ database }) => TABLES.every((table) => database?.tables.has(table) === true),
  readEach,
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} record broken` },
};

/** The sessions of people first, then those of tasks; each oldest first. */
function* readEach({ name, database }: SourceFile): Generator<PlacedSession, void, undefined> {
  const rows = database?.rows('session').toSorted(inOrder) ?? [];
  let index = 0;
  for (const row of rows) {
    const recording = createRecording();
    const messages = database === undefined ? [] : messagesOf(database, row, recording.tally);
    const facts = readSession(recording, { info: toInfo(row), messages });
    const session = recording.finish('opencode-database', facts);
    if (session.messages.length === 0) continue;
    const place = { index, count: rows.length };
    yield { session: { name: sessionName(name, place), ...session } };
    index += 1;
  }
  if (index === 0) throw noConversation(name, 'a database without messages');
}

function inOrder(one: DatabaseRow, other: DatabaseRow): number {
  return Number(isTask(one)) - Number(isTask(other)) || byTime(one, other);
}

function isTask({ parent_id: parent }: DatabaseRow): boolean {
  return typeof parent === 'string' && parent !== '';
}

function byTime(one: DatabaseRow, other: DatabaseRow): number {
  const [first, second] = [one, other].map(({ time_created: time, id }) => ({ time, id }));
  const apart = Number(first?.time) - Number(second?.time);
  return apart || (String(first?.id) < String(second?.id) ? -1 : 1);
}

function toInfo(row: DatabaseRow): Fields {
  const revert = typeof row['revert'] === 'string' ? parseJson(row['revert']) : undefined;
  return {
    id: row['id'],
    ...(isTask(row) && { parentID: row['parent_id'] }),
    version: row['version'],
    directory: row['directory'],
    time: { created: row['time_created'] },
    ...(isObject(revert) && { revert }),
  };
}

function messagesOf(
  database: Database,
  { id }: DatabaseRow,
  tally: Tally,
): readonly StoredMessage[] {
  const recordsIn = (table: string): readonly Fields[] =>
    database
      .rows(table, { column: 'session_id', value: String(id) })
      .toSorted(byTime)
      .flatMap((row) => recordOf(row, tally));
  return gatherMessages({ infos: recordsIn('message'), parts: recordsIn('part') }, tally);
}

/** The JSON of a row with the ids that stand in columns of their own. */
function recordOf(
  { data, id, message_id: messageID }: DatabaseRow,
  tally: Tally,
): readonly Fields[] {
  const fields = typeof data === 'string' ? parseJson(data) : undefined;
  if (isObject(fields)) return [{ ...fields, id, ...(messageID !== undefined && { messageID }) }];
  tally.drop('broken record');
  return [];
}
