import { existsSync, statSync } from 'node:fs';
import { expectKind } from '../../engine/internal.ts';
import { countEach, known, sum } from '../lib/collections.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { describeFault } from '../lib/files.ts';
import { nearestNames, quoted, quotedLong } from '../lib/names.ts';
import { openArchive } from './files/archive.ts';
import { openDatabase } from './files/database.ts';
import { type FileContent, openContent, packedKindOf } from './files/file-content.ts';
import { openParquet } from './files/parquet.ts';
import { surroundingsOf } from './files/folder.ts';
import { createSourceFile, describeContent, NO_SURROUNDINGS } from './files/source-file.ts';
import * as port from './format.ts';
import { type FormatName, sessionFormats } from './formats.ts';
import { NO_ROLE, toId, valueAt } from './reading/fields.ts';
import { parseSessionName, type RecordedCompaction, type Session } from './session.ts';
import { findFolder } from './story.ts';

/** A session of a file, or the reason why there is none or no further one. */
export type LoadedSession =
  | ({ readonly state: 'read' } & ReadSession)
  | { readonly state: 'unread'; readonly file: string; readonly reason: string };

interface LoadOptions {
  readonly from?: FormatName | undefined;
  /** The column of a table that holds conversations. */
  readonly column?: string | undefined;
  readonly range?: port.ByteRange | undefined;
  /** For pipes, which can be read only once: read by default. */
  readonly pipes?: 'read' | 'leave' | 'refuse' | undefined;
}

interface ReadSession extends port.PlacedSession {
  readonly format: FormatName;
}

type Loading = Generator<LoadedSession, void, undefined>;
type Reading = Generator<ReadSession, void, undefined>;

/** The position of a session, as plain data. */
export interface SessionPlace {
  readonly file: string;
  readonly index: number;
  readonly range?: port.ByteRange;
}

const FEWEST_RECORDS = 4;
const SHOWN_TYPES = 3;

const SUREST_FIRST = port.CERTAINTIES.flatMap((certainty) =>
  Object.keys(sessionFormats)
    .filter((name): name is FormatName => Object.hasOwn(sessionFormats, name))
    .filter((name) => (formatOf(name).certainty ?? 'mark') === certainty),
);

/** Pipes are left alone: whoever knows a position has read the file before. */
const AGAIN: LoadOptions = { pipes: 'leave' };
const TEXTLESS = { readText: () => '', linesWith: () => [], takeLines: () => [] };

/** Reads sessions of files in order and on demand. An unreadable file does not stop the rest. */
export function* loadSessions(paths: Iterable<string>, options: LoadOptions = {}): Loading {
  for (const path of paths) yield* loadFile(path, options);
}

/** Reads the sessions of a recorded file, the main one first. Throws `HarnessError` if no format claims it. */
export function readSessions(name: string, text: string, surroundings = NO_SURROUNDINGS) {
  const file = createSourceFile(name, expectKind('text', text, 'text'), surroundings);
  return [...readSourceFile(file)].map(({ session }) => session);
}

/** The sessions of a file, the main one first. Throws `HarnessError` if no format claims the file, or another than `from`. */
export function* readSourceFile(file: port.SourceFile, from?: FormatName): Reading {
  const name = detectFormat(file);
  if (name === undefined || name !== (from ?? name)) {
    const expected = from ?? "'list session-formats' names the formats";
    throw notA(file, `a recorded session (${expected})`, describeContent(file));
  }
  const format = formatOf(name);
  const own = (session: port.FormatSession) => {
    const recordedCompactions = session.recordedCompactions.map(withoutNegatives);
    return { format: name, ...session, recordedCompactions };
  };
  if ('readEach' in format) {
    for (const placed of format.readEach(file))
      yield { format: name, ...placed, session: own(placed.session) };
  } else {
    const sessions = format.read(file);
    checkRecords(file, format.label, sessions);
    for (const session of sessions) yield { format: name, session: own(session) };
  }
}

/** The format that claims a file: the surest match, the first of equals. */
export function detectFormat(file: port.SourceFile): FormatName | undefined {
  return SUREST_FIRST.find((name) => formatOf(name).detect(file));
}

/** The session with a name: `path#index`, or a path with one session or one main session. */
export function openNamed(name: string): LoadedSession {
  const { path, index } = existsSync(name)
    ? { path: name, index: undefined }
    : parseSessionName(name);
  const ownNames = index === '0' ? [name, path] : [name];
  const names: string[] = [];
  const main: LoadedSession[] = [];
  for (const loaded of loadSessions([path])) {
    if (loaded.state === 'unread' || ownNames.includes(loaded.session.name)) return loaded;
    names.push(loaded.session.name);
    // A second one tells as much as all.
    if (!loaded.session.isSide && main.length < 2) main.push(loaded);
  }
  const [only, another] = main;
  if (index === undefined && only !== undefined && another === undefined) return only;
  const last = index === undefined ? undefined : names.at(-1);
  return { state: 'unread', file: path, reason: namesNone(name, names, last) };
}

/** The session with a name. Throws `HarnessError` if there is none. */
export function loadNamed(name: string): Session {
  const opened = openNamed(name);
  if (opened.state === 'read') return opened.session;
  throw new HarnessError('NO_INPUT', opened.reason);
}

/** Explains why a file gave nothing. An error of a reader does not affect other files. */
export function unreadReason(error: unknown, path: string): string {
  if (error instanceof HarnessError) return error.message;
  const isFaultOfSystem = error instanceof Error && 'code' in error;
  const got = isFaultOfSystem
    ? describeFault(error)
    : `a fault of this program, which is worth a report: ${quotedLong(messageOf(error))}`;
  return `Expected to read ${quotedLong(path)}, got ${got}.`;
}

/** Creates an opener that keeps the last file that had to be read as a whole. */
export function createOpener() {
  let last: { readonly file: string; readonly sessions: readonly LoadedSession[] } | undefined;
  return {
    forget: () => {
      last = undefined;
    },
    open: ({ file, index, range }: SessionPlace): LoadedSession => {
      const reason = `the file no longer has its session ${index}`;
      const nothing: LoadedSession = { state: 'unread', file, reason };
      if (range !== undefined) {
        const [opened = nothing] = loadSessions([file], { ...AGAIN, range });
        return opened;
      }
      if (last?.file !== file) last = { file, sessions: [...loadSessions([file], AGAIN)] };
      const opened = last.sessions[index] ?? last.sessions.find(({ state }) => state === 'unread');
      if (opened?.state !== 'read') last = undefined;
      return opened ?? nothing;
    },
  };
}

function* loadFile(path: string, { from, column, range, pipes = 'read' }: LoadOptions): Loading {
  let content: FileContent | undefined;
  try {
    const stats = pipes === 'read' ? undefined : statSync(path);
    if (stats && !stats.isFile() && !stats.isDirectory()) {
      const reason = `Expected ${quotedLong(path)} to be a file, which can be read again, got a pipe or a device; save what it gives in a file.`;
      if (pipes === 'refuse') yield { state: 'unread', file: path, reason };
      return;
    }
    content = openFile(path, range, column);
    const file = createSourceFile(path, content, surroundingsOf(path));
    const folder = findFolder(file);
    for (const read of readSourceFile(file, from)) {
      const { session, format } = read;
      const isKnown =
        folder === undefined || session.folder !== undefined || format === 'canonical';
      yield { state: 'read', ...read, session: isKnown ? session : { ...session, folder } };
    }
    const [fault] = faultsOf(content);
    if (fault !== undefined) throw fault;
  } catch (error) {
    const [cause = error] = faultsOf(content);
    yield { state: 'unread', file: path, reason: unreadReason(cause, path) };
  } finally {
    content?.close();
  }
}

function openFile(path: string, range?: port.ByteRange, chosen?: string): FileContent {
  const kind = packedKindOf(path);
  if (kind === undefined) return openContent(path, range);
  if (kind === 'table') {
    const table = openParquet(path, range);
    return { ...TEXTLESS, table: { ...table, ...known({ chosen }) }, close: table.close };
  }
  const packed = kind === 'database' ? openDatabase(path) : openArchive(path);
  return { ...TEXTLESS, [kind]: packed, close: packed.close };
}

/** Throws for a file of which more than half of the records have no known type. */
function checkRecords(file: port.SourceFile, label: string, read: readonly port.FormatSession[]) {
  const unknown = sum(read.map(({ report }) => report.dropped[NO_ROLE] ?? 0));
  const records = unknown === 0 ? [] : file.lines().records.flat();
  if (unknown * 2 <= records.length || records.length < FEWEST_RECORDS) return;
  const types = countEach(records.map((one) => toId(valueAt(one, 'type role kind')) ?? 'none'));
  const shown = [...types].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_TYPES);
  const named = shown.map(([type, count]) => `${count} × ${quoted(type)}`).join(', ');
  const got = `${unknown} of ${records.length} records of no known type; types or roles: ${named}`;
  throw notA(file, label, got);
}

function notA({ name }: port.SourceFile, expected: string, got: string) {
  const message = `Expected ${quotedLong(name)} to be ${expected}, got ${got}.`;
  return new HarnessError('BAD_SESSION', message);
}

/** A count below zero is unknown. */
function withoutNegatives(compaction: RecordedCompaction): RecordedCompaction {
  const { tokensBefore = 0, tokensAfter = 0, ...rest } = compaction;
  if (tokensBefore >= 0 && tokensAfter >= 0) return compaction;
  const before = tokensBefore > 0 && { tokensBefore };
  return { ...rest, ...before, ...(tokensAfter > 0 && { tokensAfter }) };
}

function faultsOf({ database, archive, table }: Partial<FileContent> = {}) {
  return (database ?? archive ?? table)?.faults ?? [];
}

function formatOf(name: FormatName): port.SessionFormat {
  return sessionFormats[name];
}

function namesNone(name: string, names: readonly string[], last: string | undefined): string {
  const count = names.length === 1 ? '1 session' : `${names.length} sessions`;
  const nearest = nearestNames(name, names);
  const end = last === undefined || nearest.includes(last) ? '' : `; the last is ${last}`;
  return `Expected ${quotedLong(name)} to name one of ${count}, such as: ${nearest.join(', ')}${end}.`;
}
