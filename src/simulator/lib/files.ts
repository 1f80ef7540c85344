import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { badOption, HarnessError, messageOf } from './errors.ts';
import { quotedLong } from './names.ts';

/** How folders are made. */
export interface FolderOptions {
  /** Rights of those that are new. */
  readonly mode?: number | undefined;
}

/** How a file is written. */
export interface WriteOptions {
  /** Rights of a file that is new; one that was there keeps its own. */
  readonly mode?: number | undefined;
}

/** What is written aside until it is whole. */
export interface Draft {
  /** Where it is written. */
  readonly path: string;
  /** Puts it in the place of the file, with the rights of that one. */
  keep(): void;
  /** Removes what is left of it. */
  drop(): void;
}

const UTF_16_MARKS = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

/** What is said of what no one text can hold. */
const TOO_LARGE = 'more than the 512 MB that can be read at once; split it into several files';

/** What a system's codes mean for somebody who named a path, as it stands behind "got". */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'no permission'],
  ['EDQUOT', 'no room left'],
  ['EEXIST', 'something that is no folder'],
  ['EFBIG', 'a limit on the size of files'],
  ['EISDIR', 'a folder'],
  ['ELOOP', 'links that form a loop'],
  ['ENAMETOOLONG', 'a name that is too long'],
  ['ENOENT', 'nothing at that path'],
  ['ENOSPC', 'a full disk'],
  ['ENOTDIR', 'a path inside a file'],
  ['EPERM', 'no permission'],
  ['EROFS', 'a read-only disk'],
  ['ERR_FS_FILE_TOO_LARGE', TOO_LARGE],
  ['ERR_STRING_TOO_LONG', TOO_LARGE],
]);

/** What a sweep consists of, in the folder of one. */
export const HEADER_FILE = 'sweep.json';

/** Its rows, in the same folder. */
export const RESULTS_FILE = 'results.jsonl';

/** Whether a folder holds a sweep. */
export function hasHeader(folder: string): boolean {
  return existsSync(join(folder, HEADER_FILE));
}

/** Whether results lie in a folder, be they of a sweep or not. */
export function hasRows(folder: string): boolean {
  return (statSync(join(folder, RESULTS_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** A file's bytes as text: UTF-16 where it is marked as such, else UTF-8. Bytes that are neither become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(UTF_16_MARKS.get(markOf(bytes)) ?? 'utf-8').decode(bytes);
}

/** Whether a file that begins with these bytes is marked as UTF-16. */
export function isMarkedUtf16(bytes: Uint8Array): boolean {
  return UTF_16_MARKS.has(markOf(bytes));
}

/**
 * What a file says that somebody named. Where it cannot be read, `toError` makes what is thrown of why not, in words,
 * and of what the system threw.
 */
export function readTextFile(
  path: string,
  toError: (reason: string, cause: unknown) => Error,
): string {
  try {
    return decodeText(readFileSync(path));
  } catch (error) {
    throw toError(describeFault(error), error);
  }
}

/** What a file says that somebody named and of which nothing more is known. Throws `HarnessError` where it cannot be read. */
export function readNamedFile(path: string): string {
  return readTextFile(path, (reason, cause) => {
    const message = `Expected ${quotedLong(path)} to be a readable file, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

/**
 * What stands at a path; nothing also below a file, of which the system speaks as of a fault. Throws `HarnessError`
 * where it may not be looked at.
 */
export function statOf(path: string): Stats | undefined {
  return lookAt(path, statSync);
}

/** Whether a file stands at a path, and no folder. */
export function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** What `statOf` tells, but of a link the link itself, also of one to nothing. */
export function linkStatOf(path: string): Stats | undefined {
  return lookAt(path, lstatSync);
}

/** What is said of a path that cannot be read, for a reason of the system. */
export function unreadable(path: string, cause: unknown): HarnessError {
  const message = `Expected ${quotedLong(path)} to be a readable file or folder, got ${describeFault(cause)}.`;
  return new HarnessError('UNREADABLE', message, { cause });
}

/**
 * Makes a folder and what lacks above it, one level at a time. Throws what the system throws: `mkdirSync` with
 * `recursive` never ends where that finds nothing though the folder above is there, as below `/proc`.
 */
export function makeFolder(path: string, options: FolderOptions = {}): void {
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

/** Writes bytes, or a text, to an open file to the end: the system may take less than it is given. */
export function writeAll(file: number, content: Uint8Array | string): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let start = 0; start < bytes.length; ) start += writeSync(file, bytes, start);
}

/** A draft of a file, of nobody else who writes the same file; folders are made, a link is followed. */
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

/** Puts a text into a file so that nobody ever reads half of it; folders are made, a link is followed. */
export function writeWhole(file: string, text: string, { mode }: WriteOptions = {}): void {
  const draft = createDraft(file);
  try {
    writeFileSync(draft.path, text, { mode });
    draft.keep();
  } finally {
    draft.drop();
  }
}

/** Puts texts into files so that none of them changes where one cannot be written; folders are made, links are followed. */
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

/** Does what writes a file. Throws `HarnessError` where the system does not let it be written. */
export function writing<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw toWriteError(path, error);
  }
}

/** What is said where the system did not let a file or its folder be written; any other error is itself. */
export function toWriteError(path: string, error: unknown): unknown {
  if (!isRefusal(error)) return error;
  if (error.syscall === 'mkdir') return noFolder(error.path ?? dirname(path), error);
  const message = `Expected to write ${quotedLong(path)}, got ${describeRefusal(error)}.`;
  return new HarnessError('UNWRITABLE', message, { cause: error });
}

/** Whether that is of a file that could not be written. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof HarnessError && error.code === 'UNWRITABLE';
}

/** The system's code of a fault; of anything else what it says. */
export function faultCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Whether the system refused something, and nothing else went wrong. */
export function isFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** What kept a path from being read, in words where there are any. */
export function describeFault(error: unknown): string {
  const code = faultCode(error);
  return WORDS.get(code) ?? code;
}

/** What kept a file from being understood: a fault of the system in words, anything else as it says itself. */
export function describeFailure(error: unknown): string {
  return isFault(error) ? describeFault(error) : quotedLong(messageOf(error));
}

/** Folders of one machine are nobody else's business. */
export function withoutFolder(path: string): string {
  return isAbsolute(path) ? basename(path) : path;
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

/** Versions of Node differ in what they say of a path below a file: the system is asked when the folder is made. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What is written is read elsewhere, and that may be refused as well. */
function isRefusal(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'read';
}

/** A place where nobody can make a folder is wrong use. */
function noFolder(path: string, cause: NodeJS.ErrnoException): HarnessError {
  return badOption(
    `Expected ${quotedLong(path)} to be a folder that can be created, got ${describeRefusal(cause)}.`,
    { cause },
  );
}

/** What is not found was to be made there: the place above it is one that the system keeps for itself. */
function describeRefusal(error: NodeJS.ErrnoException): string {
  return faultCode(error) === 'ENOENT' ? 'a place that cannot hold one' : describeFault(error);
}
