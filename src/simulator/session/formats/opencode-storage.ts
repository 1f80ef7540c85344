import { isObject, parseJson } from '../../lib/json.ts';
import type { FoundEntry } from '../files/folder.ts';
import type { NearbyFile, SessionFormat, SourceFile, Surroundings } from '../format.ts';
import { toText } from '../reading/lenient.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { noConversation } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import { type Fields, gatherMessages, type Pieces } from './opencode-records.ts';
import { KEPT_WORDS, type StoredSession, toSession } from './opencode.ts';

interface SessionInfo extends Fields {
  readonly id: string;
}

interface NamedRecord {
  /** The name of the file, which is the id of the record. */
  readonly name: string;
  readonly fields: Fields;
}

const EXTENSION = /\.json$/i;

/** Where the tree begins, as seen from the file of a session: `session/<project>/<session>.json`. */
const FOLDERS_TO_ROOT = 2;

const MESSAGES = 'message';
const PARTS = 'part';

/** OpenCode's storage before it had a database: a file for each session, message and part. The session's is the recording. */
export const opencodeStorage: SessionFormat = {
  label: 'OpenCode storage (one JSON file per record)',
  certainty: 'mark',
  detect: (file) => isSessionInfo(file.json()),
  read: (file) => [readTree(file)],
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} file` },
};

const SESSIONS = 'session';

/** The entries of a folder in which sessions may lie: of a storage tree, not the messages, parts and lists beside them. */
export function withoutPieces(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const folders = new Set(entries.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : [])));
  const isTree = [SESSIONS, MESSAGES, PARTS].every((name) => folders.has(name));
  return isTree ? entries.filter(({ name }) => name === SESSIONS) : entries;
}

/** A message also has an id and a time, but is of a session and not of a project. */
function isSessionInfo(value: unknown): value is SessionInfo {
  if (!isObject(value) || 'sessionID' in value || 'messages' in value) return false;
  const { id, projectID, time } = value;
  return typeof id === 'string' && typeof projectID === 'string' && isObject(time);
}

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

/**
 * The messages and parts of a session, from the folders beside that of the sessions. Parts lie in a folder
 * for each message; where no message of the session has one, all parts of all sessions lie in one folder.
 */
function readPieces(around: Surroundings, sessionId: string, tally: Tally): Pieces {
  const recordsIn = (...names: readonly string[]) =>
    readRecords(around.filesIn({ up: FOLDERS_TO_ROOT, names }), tally);
  const infos = recordsIn(MESSAGES, sessionId).map(({ name, fields }) => {
    const id = typeof fields['id'] === 'string' ? fields['id'] : name;
    return { ...fields, id };
  });
  const ids = new Set(infos.map(({ id }) => id));
  const own = [...ids].flatMap((messageID) =>
    recordsIn(PARTS, messageID).map(({ fields }) => ({ ...fields, messageID })),
  );
  if (own.length > 0) return { infos, parts: own };
  const all = recordsIn(PARTS).map(({ fields }) => fields);
  return { infos, parts: all.filter(({ messageID }) => ids.has(toText(messageID) ?? '')) };
}

function readRecords(files: readonly NearbyFile[], tally: Tally): readonly NamedRecord[] {
  const records = files.filter(({ name }) => EXTENSION.test(name));
  return records.flatMap((file) => {
    const fields = parseJson(file.readText());
    if (isObject(fields)) return [{ name: file.name.replace(EXTENSION, ''), fields }];
    tally.drop('broken file');
    return [];
  });
}
