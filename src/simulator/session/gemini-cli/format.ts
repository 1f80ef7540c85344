import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { readRecordLines } from '../reading/record-lines.ts';
import { createTally } from '../reading/tally.ts';
import type { Session } from '../session.ts';
import { readConversation } from './conversation.ts';
import { replayLog } from './log.ts';
import { isConversation } from './record.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Chats of Gemini CLI: one document, or in later releases a log of messages and updates. */
export const geminiCli: SessionFormat = {
  label: 'Gemini CLI chat (JSON or JSON lines)',
  detect: (file) => isChat(file.json()) || isLog(file),
  read: (file) => [readChat(file)],
};

function isChat(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { messages, history } = document;
  if (isHeader(document) && Array.isArray(messages)) return messages.some(isConversation);
  return Array.isArray(history) && history.some(isTurn);
}

function isLog(file: SourceFile): boolean {
  const { records } = file.lines();
  return records.some(isHeader) && records.some(isLogEntry);
}

function isHeader(value: unknown): boolean {
  if (!isObject(value)) return false;
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string';
}

/** Either a message, or an update that holds some. */
function isLogEntry(value: unknown): boolean {
  if (!isObject(value) || isHeader(value)) return false;
  const { $set: update, id } = value;
  if (typeof id === 'string') return isConversation(value);
  if (!isObject(update) || !Array.isArray(update['messages'])) return false;
  return update['messages'].some(isConversation);
}

function isTurn(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['parts']) && isConversation(value);
}

function readChat(file: SourceFile): Session {
  const tally = createTally();
  const records = readRecordLines(
    file.lines(),
    (line) => (isObject(line) ? line : undefined),
    tally,
  );
  const log = replayLog(records.flatMap(withoutHistory), tally);
  const { drafts, compactions } = readConversation(log, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a chat without messages');
  const isPartial = tally.toReport().repaired['session begins with a step'] !== undefined;
  return {
    name: file.name,
    format: 'gemini-cli',
    ...describeChat(records),
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** An early document has its turns in `history`. */
function withoutHistory(record: JsonObject): readonly unknown[] {
  const { history } = record;
  return Array.isArray(history) ? history : [record];
}

function describeChat(records: readonly JsonObject[]): Pick<Session, 'sessionId' | 'isSide'> {
  const header = records.find(isHeader);
  const sessionId = header?.['sessionId'];
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    isSide: header?.['kind'] === 'subagent',
  };
}
