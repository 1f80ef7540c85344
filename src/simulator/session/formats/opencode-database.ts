import { isObject, parseJson } from '../../lib/json.ts';
import type { Database, DatabaseRow, SessionFormat } from '../format.ts';
import { type Fields, toText } from '../reading/lenient.ts';
import { eachRecording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { gatherMessages } from './opencode-records.ts';
import { isTask, KEPT_WORDS, readSession } from './opencode.ts';

const TABLES = ['session', 'message', 'part'];

/** The database of OpenCode since 1.2.0, and of Kilo: a table each of sessions, messages and parts, with JSON in `data`. */
export const opencodeDatabase: SessionFormat = {
  label: 'OpenCode and Kilo database (SQLite)',
  certainty: 'mark',
  detect: ({ database }) => TABLES.every((table) => database?.tables.has(table) === true),
  // The sessions of people come first, then those of tasks; each oldest first.
  readEach: (file) => {
    const { database } = file;
    const rows = database?.rows('session').map((row) => ({ row, info: toInfo(row) })) ?? [];
    const sorted = rows.toSorted(
      (a, b) => Number(isTask(a.info)) - Number(isTask(b.info)) || byTime(a.row, b.row),
    );
    return eachRecording(file, sorted, {
      format: 'opencode-database',
      empty: 'a database without messages',
      numbersSpoken: true,
      read: (recording, { row, info }) => {
        const messages = database ? messagesOf(database, row, recording.tally) : [];
        return readSession(recording, { info, messages });
      },
    });
  },
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} record broken` },
};

function byTime(one: DatabaseRow, other: DatabaseRow): number {
  const apart = Number(one['time_created']) - Number(other['time_created']);
  return apart || (String(one['id']) < String(other['id']) ? -1 : 1);
}

function toInfo({ revert, ...row }: DatabaseRow): Fields {
  return {
    id: row['id'],
    parentID: row['parent_id'],
    version: row['version'],
    directory: row['directory'],
    revert: parseJson(toText(revert) ?? ''),
  };
}

function messagesOf(database: Database, { id }: DatabaseRow, tally: Tally) {
  const recordsIn = (table: string): readonly Fields[] =>
    database
      .rows(table, { column: 'session_id', value: String(id) })
      .toSorted(byTime)
      .flatMap((row) => recordOf(row, tally));
  return gatherMessages({ infos: recordsIn('message'), parts: recordsIn('part') }, tally);
}

function recordOf(
  { data, id, message_id: messageID }: DatabaseRow,
  tally: Tally,
): readonly Fields[] {
  const fields = typeof data === 'string' ? parseJson(data) : undefined;
  if (isObject(fields)) return [{ ...fields, id, ...(messageID !== undefined && { messageID }) }];
  tally.drop('broken record');
  return [];
}
