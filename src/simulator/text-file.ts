import { readFileSync } from 'node:fs';
import { HarnessError } from './errors.ts';
import { quotedLong } from './names.ts';
import { describeFault } from './system-fault.ts';

const UTF_16_MARKS = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

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

function markOf(bytes: Uint8Array): number {
  return ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
}
