import { HarnessError, messageOf } from '../lib/errors.ts';
import { describeFault } from '../lib/files.ts';
import { quotedLong } from '../lib/names.ts';

/** Why a file gave nothing, from what was thrown when it was read. A fault of a reader takes no other file along. */
export function unreadReason(error: unknown, path: string): string {
  if (error instanceof HarnessError) return error.message;
  const isFaultOfSystem = error instanceof Error && 'code' in error;
  const got = isFaultOfSystem
    ? describeFault(error)
    : `a fault of this program, which is worth a report: ${quotedLong(messageOf(error))}`;
  return `Expected to read ${quotedLong(path)}, got ${got}.`;
}
