import { z } from 'zod';
import type { FilePart, MessageError } from '../../../engine/index.ts';
import { parseJson } from '../../lib/json.ts';
import type { Database, DatabaseRow, PlacedSession, SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { flag, maybeId, maybeText, toId, toTime } from '../reading/lenient.ts';
import { createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishSession,
  noConversation,
  toEarlyFinish,
} from '../reading/transcript.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
}

/** A piece of a message: `type` says what `data` is. */
type CrushPart = z.infer<typeof partSchema>;

interface CrushMessage {
  readonly row: DatabaseRow;
  readonly parts: readonly CrushPart[];
}

const TABLES = ['sessions', 'messages', 'files'];

const partSchema = z.object({
  type: maybeText,
  data: z.object({
    text: maybeText,
    thinking: maybeText,
    url: maybeText,
    MIMEType: maybeText,
    Path: maybeText,
    Data: maybeText,
    id: maybeId,
    name: maybeText,
    input: z.unknown().optional(),
    tool_call_id: maybeId,
    content: maybeText,
    is_error: flag,
    reason: maybeText,
    message: maybeText,
    command: maybeText,
    output: maybeText,
  }),
});

const CALL = 'tool_call';
const RESULT = 'tool_result';
const FINISH = 'finish';
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
    const session = database && toSession(database, row);
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

function toSession(database: Database, row: DatabaseRow): Omit<Session, 'name'> | undefined {
  const sessionId = toId(row['id']);
  if (sessionId === undefined) return undefined;
  const tally = createTally();
  const reading: Reading = { tally, dialogue: createDialogue(tally), compactions: [] };
  const stored = database.rows('messages', { column: 'session_id', value: sessionId });
  for (const message of stored.toSorted(byTime)) {
    readMessage(reading, { row: message, parts: partsOf(message, tally) });
  }
  const drafts = reading.dialogue.end();
  if (drafts.length === 0) return undefined;
  const parentSessionId = toId(row['parent_session_id']);
  return {
    format: 'crush',
    sessionId,
    isSide: isSide(row),
    ...(parentSessionId !== undefined && { parentSessionId }),
    isPartial: false,
    recordedCompactions: reading.compactions,
    isOutputFinal: false,
    ...finishSession(drafts, tally),
  };
}

function partsOf({ parts }: DatabaseRow, tally: Tally): readonly CrushPart[] {
  const text = parts instanceof Uint8Array ? Buffer.from(parts).toString('utf8') : parts;
  const values = typeof text === 'string' ? parseJson(text) : undefined;
  if (!Array.isArray(values)) {
    tally.drop('broken record');
    return [];
  }
  const read = values.flatMap((value) => partSchema.safeParse(value).data ?? []);
  tally.drop('unknown content part', values.length - read.length);
  return read;
}

function readMessage(reading: Reading, message: CrushMessage): void {
  const { role, is_summary_message: isSummary } = message.row;
  if (Number(isSummary) === 1) readSummary(reading, message);
  else if (role === 'assistant') readStep(reading, message);
  else if (role === 'tool') readResults(reading, message);
  else if (role === 'user') readPrompt(reading, message);
  else reading.tally.drop('message without a role');
}

/** Reads a summary: the model saw it, and nothing before it, from then on. */
function readSummary({ compactions, dialogue }: Reading, { parts }: CrushMessage): void {
  const messageIndex = dialogue.drafts.length;
  const summary = parts.flatMap(({ data }) => data.text ?? []).join('\n');
  if (messageIndex === 0) return dialogue.inject(summary);
  compactions.push({ kind: 'full', messageIndex, ...(summary !== '' && { summary }) });
}

function readPrompt({ dialogue, tally }: Reading, { row, parts }: CrushMessage): void {
  dialogue.addPrompt({
    createdAt: timeOf(row),
    recordedId: toId(row['id']),
    parts: toContentParts(parts, tally),
  });
}

function readStep({ dialogue, tally }: Reading, { row, parts }: CrushMessage): void {
  const model = toId(row['model']);
  const end = parts.find(({ type }) => type === FINISH)?.data;
  const step = dialogue.addStep({
    createdAt: timeOf(row),
    recordedId: toId(row['id']),
    parts: toContentParts(parts, tally),
    model: model && `${toId(row['provider']) ?? 'unknown'}/${model}`,
    finish: toEarlyFinish(end?.reason),
    error: toError(end),
  });
  for (const { type, data } of parts) {
    if (type !== CALL) continue;
    const { id: callId, name: tool = 'unknown' } = data;
    dialogue.addCall(step, { callId, tool, input: toInput(data.input || '{}', tally) });
  }
  // Tools of a provider answer in the same message.
  readResults({ dialogue, tally }, { row, parts });
}

function toError(end: CrushPart['data'] | undefined): MessageError | undefined {
  const name = ERRORS[end?.reason ?? ''];
  return name === undefined ? undefined : { name, message: end?.message ?? '' };
}

function readResults(
  { dialogue, tally }: Pick<Reading, 'dialogue' | 'tally'>,
  { parts }: CrushMessage,
): void {
  for (const { type, data } of parts) {
    if (type !== RESULT) continue;
    const { tool_call_id: key, content: output = '', is_error: isError } = data;
    const isFinished = key !== undefined && dialogue.finishCall({ key, output, isError });
    if (!isFinished) tally.drop('tool result without a call');
  }
}

function toContentParts(parts: readonly CrushPart[], tally: Tally): DraftMessage['parts'] {
  return parts.flatMap((part) => toPart(part, tally));
}

function toPart({ type, data }: CrushPart, tally: Tally): readonly DraftPart[] {
  const { text = '', thinking = '', url, Data: bytes } = data;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'reasoning') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'shell_command') return [toShell(data)];
  if (type === 'image_url' && url !== undefined) return [{ type: 'file', mime: 'image/*', url }];
  if (type === 'binary' && bytes !== undefined) return [toFile(data, bytes)];
  if (type !== CALL && type !== RESULT && type !== FINISH) tally.drop('unknown content part');
  return [];
}

function toShell({ command = '', output = '' }: CrushPart['data']): DraftPart {
  return { type: 'text', text: `$ ${command}\n${output}`, synthetic: true };
}

function toFile(
  { MIMEType: mime = 'application/octet-stream', Path: filename }: CrushPart['data'],
  bytes: string,
): Omit<FilePart, 'id'> {
  const url = `data:${mime};base64,${bytes}`;
  return { type: 'file', mime, url, ...(filename !== undefined && { filename }) };
}
