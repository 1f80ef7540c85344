import { dirname } from 'node:path';
import { badOption, HarnessError } from './errors.ts';
import { quotedLong } from './names.ts';
import { describeFault, faultCode } from './system-fault.ts';

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

/** A place where nobody can make a folder is wrong use. */
function noFolder(path: string, cause: NodeJS.ErrnoException): HarnessError {
  return badOption(
    `Expected ${quotedLong(path)} to be a folder that can be created, got ${describeRefusal(cause)}.`,
    { cause },
  );
}

/** What is written is read elsewhere, and that may be refused as well. */
function isRefusal(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'read';
}

/** What is not found was to be made there: the place above it is one that the system keeps for itself. */
function describeRefusal(error: NodeJS.ErrnoException): string {
  return faultCode(error) === 'ENOENT' ? 'a place that cannot hold one' : describeFault(error);
}
