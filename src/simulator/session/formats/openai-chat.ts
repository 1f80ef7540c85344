import { isObject } from '../../lib/json.ts';
import { readJsonLine } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { readRecordings } from '../reading/recording.ts';
import { countLineFaults, createTally } from '../reading/tally.ts';
import type { Session } from '../session.ts';
import { isChat, readChat } from './chat.ts';

/** Messages by conversation; `undefined` for an entry without readable messages. */
type Chats = readonly (readonly unknown[] | undefined)[];

/** A key of every message, and so of every list of messages. */
const ROLE = '"role"';

/** Chat-completions messages: one conversation, or a list of runs with one each, as a document or line by line. */
export const openaiChat: SessionFormat = {
  label: 'OpenAI chat messages (JSON or JSON lines)',
  certainty: 'guess',
  detect: (file) => findChats(file) !== undefined,
  read: readChats,
  keeps: {
    reasons: 'messages run',
  },
};

/** The conversations of a document, or of lines that hold one or a message each; `undefined` if they are not of this format. */
function findChats(file: SourceFile): Chats | undefined {
  const document = file.json() ?? recordsOf(file);
  const isList = Array.isArray(document);
  if (isList && isChat(document)) return [document];
  const chats = (isList ? document : [document]).map(messagesOf);
  return chats[0] !== undefined && chats.some(hasMessages) ? chats : undefined;
}

/** The records of a file whose first record with a role is a chat's; other files are read no further. */
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

/** A record without a role among messages is an event of another recorder. */
function isEvent(record: unknown): boolean {
  return isObject(record) && !('role' in record);
}

function hasMessages(chat: readonly unknown[] | undefined): boolean {
  return chat !== undefined && chat.length > 0;
}

function messagesOf(run: unknown): readonly unknown[] | undefined {
  if (!isObject(run)) return undefined;
  const messages = run['traj'] ?? run['messages'];
  if (!Array.isArray(messages)) return undefined;
  return messages.length === 0 || isChat(messages) ? messages : undefined;
}

function readChats(file: SourceFile): readonly Session[] {
  const chats = findChats(file) ?? [];
  const tally = createTally();
  tally.drop('run without messages', chats.filter((chat) => chat === undefined).length);
  countLineFaults(file.lines(), tally);
  return readRecordings(file, chats, {
    format: 'openai-chat',
    empty: 'chats without messages',
    tally,
    read: (recording, values = []) => readChat(recording, values),
  });
}
