import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, gatherMessages } from '../opencode/gather.ts';
import { type StoredSession, toSession } from '../opencode/session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import type { Session } from '../session.ts';
import { readPieces } from './tree.ts';

interface SessionInfo extends Fields {
  readonly id: string;
}

/** OpenCode's storage before it had a database: a file for each session, message and part. The session's is the recording. */
export const opencodeStorage: SessionFormat = {
  label: 'OpenCode storage (one JSON file per record)',
  detect: (file) => isSessionInfo(file.json()),
  read: (file) => [readTree(file)],
};

function readTree(file: SourceFile): Session {
  const info = file.json();
  const tally = createTally();
  const session = isSessionInfo(info)
    ? toSession(withMessages(file, info, tally), tally)
    : undefined;
  if (session === undefined) throw noConversation(file.name, 'a session without messages');
  return { name: file.name, format: 'opencode-storage', ...session };
}

function withMessages(file: SourceFile, info: SessionInfo, tally: Tally): StoredSession {
  const pieces = readPieces(file.surroundings, info.id, tally);
  return { info, messages: gatherMessages(pieces, tally) };
}

/** A message also has an id and a time, but is of a session and not of a project. */
function isSessionInfo(value: unknown): value is SessionInfo {
  if (!isObject(value) || 'sessionID' in value || 'messages' in value) return false;
  const { id, projectID, time } = value;
  return typeof id === 'string' && typeof projectID === 'string' && isObject(time);
}
