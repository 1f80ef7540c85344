import { isObject } from '../../lib/json.ts';
import { readJsonLine } from '../files/json-text.ts';
import type { SourceFile } from '../format.ts';
import { isRun } from '../mini-swe-agent/document.ts';
import { isChat } from './message.ts';

/** The messages of each conversation of a file; `undefined` where an entry of the file holds none that can be read. */
export type Chats = readonly (readonly unknown[] | undefined)[];

/** What documents of other recorders have beside a list of messages. */
const FOREIGN_KEYS = [
  'agent',
  'history',
  'projectHash',
  'schema_version',
  'sessionId',
  'trajectory',
  'trajectory_format',
];

/** What every message has, and every list of messages. */
const ROLE = '"role"';

/** The conversations that a file holds, also with one of them, or one message, on each line; `undefined` if it is not of this format. */
export function findChats(file: SourceFile): Chats | undefined {
  const document = file.json() ?? recordsOf(file);
  const isList = Array.isArray(document);
  if (isList && isChat(document)) return isRun(document) ? undefined : [document];
  const chats = (isList ? document : [document]).map(messagesOf);
  return chats[0] !== undefined && chats.some(hasMessages) ? chats : undefined;
}

/** The records of a file in which the first with a role is one of a chat; of any other only so much is read. */
function recordsOf(file: SourceFile): readonly unknown[] | undefined {
  for (const { text } of file.linesWith(ROLE)) {
    const [first] = readJsonLine(text).values;
    if (first === undefined) continue;
    const isMessage = isChat([first]);
    if (!isMessage && !hasMessages(messagesOf(first))) return undefined;
    const { records } = file.lines();
    return isMessage && records.some(isEvent) ? undefined : records;
  }
  return undefined;
}

/** What has no role among messages is an event of a recorder that also writes messages. */
function isEvent(record: unknown): boolean {
  return isObject(record) && !('role' in record);
}

function messagesOf(run: unknown): readonly unknown[] | undefined {
  if (!isObject(run) || FOREIGN_KEYS.some((key) => key in run)) return undefined;
  const messages = run['traj'] ?? run['messages'];
  if (!Array.isArray(messages)) return undefined;
  return messages.length === 0 || isChat(messages) ? messages : undefined;
}

function hasMessages(chat: readonly unknown[] | undefined): boolean {
  return chat !== undefined && chat.length > 0;
}
