import { isObject, parseJson } from '../../lib/json.ts';
import type { Database, DatabaseRow, PlacedSession, SessionFormat, SourceFile } from '../format.ts';
import { type Block, textOf, toParts } from '../reading/content.ts';
import { toId, toText, toTime } from '../reading/lenient.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
import { type Tally, toInput } from '../reading/tally.ts';
import { type DraftPart, noConversation, toEarlyFinish } from '../reading/transcript.ts';
import { type Session, sessionName } from '../session.ts';

const TABLES = ['sessions', 'messages', 'files'];

const CALL = 'tool_call';
const RESULT = 'tool_result';
const FINISH = 'finish';
const SILENT = new Set<unknown>([CALL, RESULT, FINISH]);
const ERRORS: Readonly<Record<string, string>> = {
  canceled: 'MessageAbortedError',
  error: 'APIError',
};

/**
 * The database of Crush. Its sessions count the tokens of the newest request only, in columns whose meaning differs by release;
 * so steps have no usage.
 */
export const crush: SessionFormat = {
  label: 'Crush database (SQLite)',
  certainty: 'mark',
  detect: ({ database }) => TABLES.every((table) => database?.tables.has(table) === true),
  readEach,
  keeps: {
    tools: 'diagnostics download fetch multiedit sourcegraph',
    errors: 'APIError MessageAbortedError',
  },
};

/** The sessions of people first, then those of agents that they started; each oldest first. */
function* readEach({ name, database }: SourceFile): Generator<PlacedSession, void, undefined> {
  const rows = database?.rows('sessions').toSorted(inOrder) ?? [];
  let index = 0;
  for (const row of rows) {
    const session = database && readSession(database, row);
    if (session === undefined) continue;
    yield { session: { name: sessionName(name, { index, count: rows.length }), ...session } };
    index += 1;
  }
  if (index === 0) throw noConversation(name, 'a database without messages');
}

function inOrder(one: DatabaseRow, other: DatabaseRow): number {
  return Number(isSide(one)) - Number(isSide(other)) || byTime(one, other);
}

function isSide(row: DatabaseRow): boolean {
  return toId(row['parent_session_id']) !== undefined;
}

/** Rows of one second stay in the order in which they were written. */
function byTime(one: DatabaseRow, other: DatabaseRow): number {
  return timeOf(one) - timeOf(other);
}

function timeOf({ created_at: time }: DatabaseRow): number {
  return toTime(typeof time === 'bigint' ? Number(time) : time);
}

function readSession(database: Database, row: DatabaseRow): Omit<Session, 'name'> | undefined {
  const sessionId = toId(row['id']);
  if (sessionId === undefined) return undefined;
  const recording = createRecording();
  const stored = database.rows('messages', { column: 'session_id', value: sessionId });
  for (const message of stored.toSorted(byTime)) {
    readMessage(recording, message, contentOf(message, recording.tally));
  }
  const parentSessionId = toId(row['parent_session_id']);
  const session = recording.finish('crush', { sessionId, parentSessionId, isSide: isSide(row) });
  return session.messages.length > 0 ? session : undefined;
}

/** The blocks of a message; the data of each stands beside its type. */
function contentOf({ parts }: DatabaseRow, tally: Tally): readonly Block[] {
  const text = parts instanceof Uint8Array ? Buffer.from(parts).toString('utf8') : parts;
  const values = typeof text === 'string' ? parseJson(text) : undefined;
  if (!Array.isArray(values)) {
    tally.drop('broken record');
    return [];
  }
  const read = values.filter((value) => isObject(value) && isObject(value['data']));
  tally.drop('unknown content part', values.length - read.length);
  return read.map(({ type, data }) => ({ ...data, type }));
}

function readMessage(recording: Recording, row: DatabaseRow, content: readonly Block[]): void {
  const { role, is_summary_message: isSummary, model } = row;
  const said = { createdAt: timeOf(row), recordedId: toId(row['id']) };
  if (Number(isSummary) === 1) {
    // The model saw the summary, and nothing before it, from then on.
    if (recording.drafts.length === 0) recording.inject(textOf(content));
    else recording.addCompaction({ summary: textOf(content) });
  } else if (role === 'user') {
    recording.addPrompt({ ...said, parts: partsOf(content, recording.tally) });
  } else if (role === 'assistant') {
    const end = content.find(({ type }) => type === FINISH);
    const error = ERRORS[toText(end?.['reason']) ?? ''];
    const step = recording.addStep({
      ...said,
      parts: partsOf(content, recording.tally),
      model: toId(model) && `${toId(row['provider']) ?? 'unknown'}/${toId(model)}`,
      finish: toEarlyFinish(toText(end?.['reason'])),
      error: error ? { name: error, message: toText(end?.['message']) ?? '' } : undefined,
    });
    for (const { id, name, input } of content.filter(({ type }) => type === CALL)) {
      const tool = toText(name) ?? 'unknown';
      const given = toInput(input || '{}', recording.tally);
      recording.addCall(step, { callId: toId(id), tool, input: given });
    }
    // Tools of a provider answer in the same message.
    readResults(recording, content);
  } else if (role === 'tool') readResults(recording, content);
  else recording.tally.drop('message without a role');
}

function readResults(recording: Recording, content: readonly Block[]): void {
  for (const block of content.filter(({ type }) => type === RESULT)) {
    const output = toText(block['content']) ?? '';
    recording.addResult(toId(block['tool_call_id']), {
      output,
      isError: block['is_error'] === true,
    });
  }
}

/** Parts that a user or a model wrote or attached. */
function partsOf(content: readonly Block[], tally: Tally): DraftPart[] {
  return content.flatMap((block) => {
    const { type, command, output, MIMEType: mimeType, Data: data, Path: filename } = block;
    if (type !== 'shell_command') {
      const mime = toText(mimeType) ?? 'application/octet-stream';
      return toParts([{ ...block, mimeType: mime, data, filename }], tally, { silent: SILENT });
    }
    // A command that a person ran, with its output.
    const text = `$ ${toText(command) ?? ''}\n${toText(output) ?? ''}`;
    return [{ type: 'text' as const, text, synthetic: true }];
  });
}
