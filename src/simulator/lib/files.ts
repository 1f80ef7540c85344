import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { badOption, HarnessError, messageOf } from './errors.ts';
import { quotedLong } from './names.ts';

interface Permissions {
  readonly mode?: number | undefined;
}

/** A file written under another name until it is complete. */
export interface Draft {
  readonly path: string;
  /** Moves it into the place of the file, with that file's permissions. */
  keep(): void;
  drop(): void;
}

/** An open file that is read from its start, or at a position. */
export interface Reader {
  /** The count of bytes that were read; 0 at the end. Waits for who writes to a pipe; an interruption ends that. */
  read(buffer: Uint8Array, position?: number | null): number;
  close(): void;
}

const CHUNK_BYTES = 65_536;
const MOST_BYTES = 2 ** 29;
const LOOK_MS = 20;
const PATIENCE_LOOKS = 250;
const INTERRUPTED = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
const CLOCK = new Int32Array(new SharedArrayBuffer(4));

const UTF_16_MARKS = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

const TOO_LARGE = 'more than the 512 MB that can be read at once; split it into several files';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'no permission'],
  ['EBUSY', 'something that another program holds'],
  ['EDQUOT', 'no room left'],
  ['EEXIST', 'something that is no folder'],
  ['EFBIG', 'a limit on the size of files'],
  ['EISDIR', 'a folder'],
  ['EINTR', 'an interruption'],
  ['EIO', 'a device that fails'],
  ['ELOOP', 'links that form a loop'],
  ['EMFILE', 'too many open files'],
  ['ENAMETOOLONG', 'a name that is too long'],
  ['ENFILE', 'too many open files'],
  ['ENOENT', 'nothing at that path'],
  ['ENOMEM', 'no memory left'],
  ['ENOSPC', 'a full disk'],
  ['ENOTDIR', 'a path inside a file'],
  ['EPERM', 'no permission'],
  ['EROFS', 'a read-only disk'],
  ['NO_WRITER', 'a pipe to which nobody writes'],
  ['ERR_FS_FILE_TOO_LARGE', TOO_LARGE],
  ['ERR_STRING_TOO_LONG', TOO_LARGE],
]);

/** Name of the file that describes a sweep, in its folder. */
export const HEADER_FILE = 'sweep.json';

/** Name of the file of its rows. */
export const RESULTS_FILE = 'results.jsonl';

/** True for a folder with a sweep. */
export function hasHeader(folder: string): boolean {
  return existsSync(join(folder, HEADER_FILE));
}

/** True for a folder with rows, of a sweep or not. */
export function hasRows(folder: string): boolean {
  return (statSync(join(folder, RESULTS_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Decodes bytes: UTF-16 with a byte order mark, else UTF-8; invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(UTF_16_MARKS.get(markOf(bytes)) ?? 'utf-8').decode(bytes);
}

/** True for bytes that begin with a UTF-16 byte order mark. */
export function isMarkedUtf16(bytes: Uint8Array): boolean {
  return UTF_16_MARKS.has(markOf(bytes));
}

/** Reads a text file. Throws what `toError` makes of the reason, in words, and of the system's error. */
export function readTextFile(
  path: string,
  toError: (reason: string, cause: unknown) => Error,
): string {
  try {
    return decodeText(readBytes(path));
  } catch (error) {
    throw toError(describeFault(error), error);
  }
}

/** Reads a text file that a user named. Throws `HarnessError` where it cannot be read. */
export function readNamedFile(path: string): string {
  return readTextFile(path, (reason, cause) => {
    const message = `Expected ${quotedLong(path)} to be a readable file, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

/** The stats of a path; `undefined` where nothing is, also below a file. Throws `HarnessError` without permission. */
export function statOf(path: string): Stats | undefined {
  return lookAt(path, statSync);
}

/** The stats of a path, of a link those of the link itself. */
export function linkStatOf(path: string): Stats | undefined {
  return lookAt(path, lstatSync);
}

/** An error about an unreadable path. */
export function unreadable(path: string, cause: unknown): HarnessError {
  const message = `Expected ${quotedLong(path)} to be a readable file or folder, got ${describeFault(cause)}.`;
  return new HarnessError('UNREADABLE', message, { cause });
}

/** Makes a folder and its missing parents, level by level: recursive `mkdirSync` never ends below `/proc`. */
export function makeFolder(path: string, options: Permissions = {}): void {
  if (isFolder(path)) return;
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (isFolder(path)) return;
    const parent = dirname(path);
    if (faultCode(error) !== 'ENOENT' || isFolder(parent)) throw error;
    makeFolder(parent, options);
    makeFolder(path, options);
  }
}

/** Writes all bytes to an open file; one system call may write only some. */
export function writeAll(file: number, content: Uint8Array | string): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let start = 0; start < bytes.length; ) start += writeSync(file, bytes, start);
}

/** Fills bytes from a place in an open file, as far as that goes; one system call may read only some. Returns their count. */
export function readFrom(file: number, bytes: Uint8Array, position: number): number {
  let count = 0;
  for (let read = 1; read > 0 && count < bytes.length; count += read)
    read = readSync(file, bytes, count, bytes.length - count, position + count);
  return count;
}

/** A draft of a file, private to this call; folders are made, a link is followed. */
export function createDraft(file: string): Draft {
  // Versions of Node differ in what a look at a path below a file says: the folder comes first.
  makeFolder(dirname(file));
  const there = statSync(file, { throwIfNoEntry: false });
  const place = there ? realpathSync(file) : file;
  // It lies on the same disk, or it could not be moved in one go.
  const folder = mkdtempSync(join(dirname(place), '.writing-'));
  const path = join(folder, basename(place));
  return {
    path,
    keep: () => {
      // Not every disk knows rights.
      if (there && statSync(path).mode !== there.mode) chmodSync(path, there.mode);
      renameSync(path, place);
    },
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Writes a file atomically; folders are made, a link is followed. */
export function writeWhole(
  file: string,
  text: string | Uint8Array,
  { mode }: Permissions = {},
): void {
  const draft = createDraft(file);
  try {
    writeFileSync(draft.path, text, { mode });
    draft.keep();
  } finally {
    draft.drop();
  }
}

/** Writes several files, or none if one cannot be written; folders are made, links are followed. */
export function writeTogether(texts: ReadonlyMap<string, string>): void {
  const drafts = new Map<string, Draft>();
  try {
    for (const [file, text] of texts) {
      writing(file, () => {
        const draft = createDraft(file);
        drafts.set(file, draft);
        writeFileSync(draft.path, text);
      });
    }
    for (const [file, draft] of drafts) writing(file, () => draft.keep());
  } finally {
    for (const draft of drafts.values()) draft.drop();
  }
}

/** Runs a function that writes a file. Throws `HarnessError` where the system refuses. */
export function writing<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw toWriteError(path, error);
  }
}

/** Converts an error of the system on writing to a `HarnessError`; other errors are unchanged. */
export function toWriteError(path: string, error: unknown): unknown {
  if (!isRefusal(error)) return error;
  // ENOENT on writing means that the system does not allow a folder there.
  const reason =
    faultCode(error) === 'ENOENT' ? 'a place that cannot hold one' : describeFault(error);
  if (error.syscall === 'mkdir') {
    const folder = quotedLong(error.path ?? dirname(path));
    const message = `Expected ${folder} to be a folder that can be created, got ${reason}.`;
    return badOption(message, { cause: error });
  }
  const message = `Expected to write ${quotedLong(path)}, got ${reason}.`;
  return new HarnessError('UNWRITABLE', message, { cause: error });
}

/** True for the error of a file that could not be written. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof HarnessError && error.code === 'UNWRITABLE';
}

/** The code of an error of the system; any other error as a string. */
export function faultCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** True for an error of a system call. */
export function isFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** An error of the system in words; its code where there are none. */
export function describeFault(error: unknown): string {
  const code = faultCode(error);
  return WORDS.get(code) ?? code;
}

/** An error of the system in words; the quoted message of any other. */
export function describeFailure(error: unknown): string {
  return isFault(error) ? describeFault(error) : quotedLong(messageOf(error));
}

/** Folders of one machine are nobody else's business. */
export function withoutFolder(path: string): string {
  return isAbsolute(path) ? basename(path) : path;
}

/** Opens a file or pipe. Errors of `read`: those of the system, NO_WRITER for a pipe to which nobody writes, EINTR at an interruption. */
export function openReader(path: string): Reader {
  // Else it would wait for a writer where no signal is heard.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let looks = lstatSync(path).isFIFO() ? PATIENCE_LOOKS : 0;
  const attempt = (buffer: Uint8Array, position: number | null) => {
    try {
      const count = readSync(file, buffer, 0, buffer.length, position);
      if (count > 0 || looks === 0) return count;
      looks -= 1;
      if (looks === 0) throw toFault('NO_WRITER');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
    return undefined;
  };
  const read: Reader['read'] = (buffer, position = null) => {
    let count = attempt(buffer, position);
    const wait = () => {
      for (; count === undefined; count = attempt(buffer, position))
        Atomics.wait(CLOCK, 0, 0, LOOK_MS);
    };
    if (count === undefined) interruptibly(wait);
    if (count !== 0) looks = 0;
    return count ?? 0;
  };
  return { read, close: () => closeSync(file) };
}

/** The bytes of a file or pipe. Throws an error of the system, also ERR_FS_FILE_TOO_LARGE for a pipe that never ends. */
export function readBytes(path: string): Buffer {
  const stats = statSync(path);
  if (stats.isFile() || stats.isDirectory()) return readFileSync(path);
  const reader = openReader(path);
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0, count = 1; count > 0; bytes += count) {
      if (bytes > MOST_BYTES) throw toFault('ERR_FS_FILE_TOO_LARGE');
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      count = reader.read(chunk);
      chunks.push(chunk.subarray(0, count));
    }
    return Buffer.concat(chunks);
  } finally {
    reader.close();
  }
}

function markOf(bytes: Uint8Array): number {
  return ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
}

function lookAt(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (faultCode(cause) === 'ENOTDIR') return undefined;
    throw unreadable(path, cause);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isRefusal(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'read';
}

/** Signals are heard between two events only, but for code that asks to be ended by one; who listens is told then. */
function interruptibly(act: () => void) {
  try {
    runInNewContext('act()', { act }, { breakOnSigint: isMainThread });
  } catch (error) {
    // It is an error of the other context.
    if ((error as NodeJS.ErrnoException).code !== INTERRUPTED) throw error;
    process.emit('SIGINT');
    throw toFault('EINTR');
  }
}

function toFault(code: string) {
  return Object.assign(new Error(code), { code, syscall: 'read' });
}
