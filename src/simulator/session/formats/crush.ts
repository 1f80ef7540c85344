import { parseJson } from '../../lib/json.ts';
import type { Database, DatabaseRow, SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { eachRecording, type Recording } from '../reading/recording.ts';

const TABLES = ['sessions', 'messages', 'files'];
const CALL = 'tool_call';
const RESULT = 'tool_result';
const FINISH = 'finish';
const SHELL = 'shell_command';
const ERRORS: kit.Fields = { canceled: 'MessageAbortedError', error: 'APIError' };

/**
 * The database of Crush. Its sessions count the tokens of the newest request only, in columns whose meaning differs by release;
 * so steps have no usage.
 */
export const crush: SessionFormat = {
  label: 'Crush database (SQLite)',
  detect: ({ database }) => TABLES.every((table) => database?.tables.has(table) === true),
  readEach,
};

function readEach(file: SourceFile) {
  const { database } = file;
  const rows = database?.rows('sessions').filter(({ id }) => kit.toId(id) !== undefined) ?? [];
  return eachRecording(
    file,
    rows.toSorted((a, b) => Number(isSide(a)) - Number(isSide(b)) || byTime(a, b)),
    {
      empty: 'a database without messages',
      silent: new Set([CALL, RESULT, FINISH, SHELL]),
      read: (recording, row) => {
        if (database !== undefined) readMessages(recording, database, row);
        const parentSessionId = kit.toId(row['parent_session_id']);
        return { sessionId: row['id'], parentSessionId, isSide: isSide(row) };
      },
    },
  );
}

function isSide(row: DatabaseRow) {
  return kit.toId(row['parent_session_id']) !== undefined;
}

/** Rows of one second stay in the order in which they were written. */
function byTime(one: DatabaseRow, other: DatabaseRow): number {
  return Number(one['created_at'] ?? 0) - Number(other['created_at'] ?? 0);
}

function readMessages(recording: Recording, database: Database, { id }: DatabaseRow): void {
  const rows = database.rows('messages', { column: 'session_id', value: String(id) });
  for (const row of rows.toSorted(byTime)) {
    const { parts } = row;
    const text = parts instanceof Uint8Array ? Buffer.from(parts).toString('utf8') : parts;
    const values = parseJson(kit.orEmpty(text));
    if (!Array.isArray(values)) recording.tally.drop('broken record');
    // The data of each block stands beside its type.
    const content = recording
      .readObjects(values, 'unknown content part')
      .map(({ type, data }) => ({ ...kit.fieldsOf(data), type }));
    readMessage(recording, row, content);
  }
}

function readMessage(recording: Recording, row: DatabaseRow, content: readonly kit.Fields[]): void {
  const { id, role, is_summary_message: isSummary, model, provider, created_at: time } = row;
  const said = { id, time: Number(time), content };
  if (Number(isSummary) === 1) {
    // The model saw the summary, and nothing before it, from then on.
    if (recording.drafts.length === 0) recording.inject(kit.textOf(content));
    else recording.addCompaction({ summary: kit.textOf(content) });
  } else if (role === 'user') {
    const files = content
      .filter(({ type }) => type === SHELL)
      .map(({ command, output }) => {
        const text = `$ ${kit.orEmpty(command)}\n${kit.orEmpty(output)}`;
        return { type: 'text', text, synthetic: true } as const;
      });
    recording.readPrompt({ ...said, files });
  } else if (role === 'assistant') {
    const { reason, message } = content.find(({ type }) => type === FINISH) ?? {};
    const error = kit.toText(ERRORS[kit.orEmpty(reason)]);
    recording.readStep({
      ...said,
      model: kit.toId(model) && `${kit.toId(provider) ?? 'unknown'}/${kit.toId(model)}`,
      finish: reason,
      error: error ? { name: error, message: kit.orEmpty(message) } : undefined,
      calls: content
        .filter(({ type }) => type === CALL)
        .map(({ id: callId, name, input }) => ({ id: callId, name, args: input || '{}' })),
    });
  } else if (role !== 'tool') recording.tally.drop(kit.NO_ROLE);
  // Tools of a provider answer in the message of their call.
  for (const { type, tool_call_id: callId, content: output, is_error: isError } of content) {
    if (type !== RESULT) continue;
    recording.readResult({ id: callId, output: kit.orEmpty(output), isError });
  }
}
