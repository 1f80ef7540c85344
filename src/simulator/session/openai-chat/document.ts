import type { SourceFile } from '../format.ts';
import { isObject } from '../../is-object.ts';
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

/** The conversations that a document holds, or `undefined` if it is not of this format. */
export function findChats(file: SourceFile): Chats | undefined {
  const document = file.json();
  const isList = Array.isArray(document);
  if (isList && isChat(document)) return isRun(document) ? undefined : [document];
  const chats = (isList ? document : [document]).map(messagesOf);
  return chats[0] !== undefined && chats.some(hasMessages) ? chats : undefined;
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
