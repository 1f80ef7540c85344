import { isObject, parseJson } from '../../lib/json.ts';
import type { FoundEntry } from '../files/folder.ts';
import type { NearbyFile, Surroundings } from '../format.ts';
import type { Fields, Pieces } from '../opencode/gather.ts';
import { toText } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';

interface NamedRecord {
  /** The name of the file, which is the id of the record. */
  readonly name: string;
  readonly fields: Fields;
}

/** Where the tree begins, as seen from the file of a session: `session/<project>/<session>.json`. */
const FOLDERS_TO_ROOT = 2;
const SESSIONS = 'session';
const MESSAGES = 'message';
const PARTS = 'part';
const EXTENSION = /\.json$/i;

/** The entries of a folder in which sessions may lie: of a storage tree, not the messages, parts and lists beside them. */
export function withoutPieces(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const folders = new Set(entries.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : [])));
  const isTree = [SESSIONS, MESSAGES, PARTS].every((name) => folders.has(name));
  return isTree ? entries.filter(({ name }) => name === SESSIONS) : entries;
}

/**
 * The messages and parts of a session, from the folders beside that of the sessions. Parts lie in a folder
 * for each message; where no message of the session has one, all parts of all sessions lie in one folder.
 */
export function readPieces(around: Surroundings, sessionId: string, tally: Tally): Pieces {
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
