import { isObject, parseJson } from '../../lib/json.ts';
import type { FoundEntry } from '../files/folder.ts';
import type { SessionFormat, Surroundings } from '../format.ts';
import { type Fields, toText } from '../reading/lenient.ts';
import { readRecording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { gatherMessages, type Pieces } from './opencode-records.ts';
import { KEPT_WORDS, readSession } from './opencode.ts';

interface SessionInfo extends Fields {
  readonly id: string;
}

const EXTENSION = /\.json$/i;

/** Levels from a session's file (`session/<project>/<session>.json`) up to the root. */
const FOLDERS_TO_ROOT = 2;

const MESSAGES = 'message';
const PARTS = 'part';

/** OpenCode's storage before its database: one file per session, message and part. The session's file is the recording. */
export const opencodeStorage: SessionFormat = {
  label: 'OpenCode storage (one JSON file per record)',
  certainty: 'mark',
  readsAround: true,
  detect: (file) => isSessionInfo(file.json()),
  read: readRecording({ format: 'opencode-storage' }, (recording, file) => {
    const info = file.json();
    if (!isSessionInfo(info)) return undefined;
    const pieces = readPieces(file.surroundings, info.id, recording.tally);
    const messages = gatherMessages(pieces, recording.tally);
    return readSession(recording, { info, messages });
  }),
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} file` },
};

const SESSIONS = 'session';

/** Entries of a folder without the messages, parts and lists of a storage tree. */
export function withoutPieces(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const folders = new Set(entries.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : [])));
  const isTree = [SESSIONS, MESSAGES, PARTS].every((name) => folders.has(name));
  return isTree ? entries.filter(({ name }) => name === SESSIONS) : entries;
}

/** Recognizes a session by its project; messages have ids and times too. */
function isSessionInfo(value: unknown): value is SessionInfo {
  if (!isObject(value) || 'sessionID' in value || 'messages' in value) return false;
  const { id, projectID, time } = value;
  return typeof id === 'string' && typeof projectID === 'string' && isObject(time);
}

/** Messages and parts from the folders beside the sessions. Parts lie in one folder per message, or all in one. */
function readPieces(around: Surroundings, sessionId: string, tally: Tally): Pieces {
  const filesIn = (...names: readonly string[]) =>
    around
      .filesIn({ up: FOLDERS_TO_ROOT, names })
      .filter(({ name }) => EXTENSION.test(name))
      .flatMap(({ name, readText }) => {
        const fields = parseJson(readText());
        if (isObject(fields)) return [{ name, fields }];
        tally.drop('broken file');
        return [];
      });
  // The name of a file is the id of its record.
  const infos = filesIn(MESSAGES, sessionId).map(({ name, fields }) => {
    return { ...fields, id: toText(fields['id']) ?? name.replace(EXTENSION, '') };
  });
  const ids = new Set(infos.map(({ id }) => id));
  const own = [...ids].flatMap((messageID) =>
    filesIn(PARTS, messageID).map(({ fields }) => ({ ...fields, messageID })),
  );
  if (own.length > 0) return { infos, parts: own };
  const all = filesIn(PARTS).map(({ fields }) => fields);
  return { infos, parts: all.filter(({ messageID }) => ids.has(toText(messageID) ?? '')) };
}
