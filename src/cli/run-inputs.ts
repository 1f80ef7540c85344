import { HarnessError } from '../simulator/errors.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import { discoverSessionFiles } from '../simulator/session/discover.ts';
import { nameInPackage, SHIPPED_SESSIONS } from './package-files.ts';

/** The files to be run. */
export interface RunInputs {
  readonly files: readonly string[];
  /** Inputs that stand for no file. */
  readonly unread: readonly UnreadInput[];
  /** How a path is shown. */
  nameOf(path: string): string;
}

/** The files that inputs stand for, or the sessions that come with the package. Throws if there is none at all. */
export function findInputs(inputs: readonly string[]): RunInputs {
  if (inputs.length === 0) {
    const files = discoverSessionFiles([SHIPPED_SESSIONS]);
    return { files, unread: [], nameOf: nameInPackage };
  }
  const unread = inputs.length === 1 ? [] : inputs.flatMap(findUnread);
  const absent = new Set(unread.map(({ file }) => file));
  const files = discoverSessionFiles(inputs.filter((input) => !absent.has(input)));
  return { files, unread, nameOf: (path) => path };
}

/** One bad input among several does not stop the others. */
function findUnread(input: string): readonly UnreadInput[] {
  try {
    discoverSessionFiles([input]);
    return [];
  } catch (error) {
    if (error instanceof HarnessError) return [{ file: input, reason: error.message }];
    throw error;
  }
}
