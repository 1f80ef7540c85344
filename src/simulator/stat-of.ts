import { lstatSync, type Stats, statSync } from 'node:fs';
import { HarnessError } from './errors.ts';
import { quotedLong } from './names.ts';
import { describeFault, faultCode } from './system-fault.ts';

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

function lookAt(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (faultCode(cause) === 'ENOTDIR') return undefined;
    throw unreadable(path, cause);
  }
}
