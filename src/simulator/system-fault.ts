import { messageOf } from './errors.ts';
import { quotedLong } from './names.ts';

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
