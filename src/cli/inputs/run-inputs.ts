import { badOption, HarnessError, unlessWrongInput } from '../../simulator/errors.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { discoverSessionFiles } from '../../simulator/session/files/discover.ts';
import type { SearchResult } from '../../simulator/session/files/search-folder.ts';
import { STDIN } from '../process/stdin.ts';
import { nameInPackage, pathInPackage, SHIPPED_SESSIONS } from './package-files.ts';

/** The files to be run. */
export interface RunInputs {
  readonly files: readonly string[];
  /** Inputs that stand for no file, and what lies below the others but cannot be read. */
  readonly unread: readonly UnreadInput[];
  /** How a path, or the name of a session, is shown. */
  nameOf(path: string): string;
  /** What is shown as this. */
  pathOf(shown: string): string;
}

/** The files that inputs stand for, or the sessions that come with the package. Throws if there is none at all. */
export function findInputs(inputs: readonly string[]): RunInputs {
  if (inputs.length === 0) {
    const shipped = toInputs(discoverSessionFiles([SHIPPED_SESSIONS]));
    return { ...shipped, nameOf: nameInPackage, pathOf: pathInPackage };
  }
  if (inputs.includes(STDIN)) {
    throw badOption(
      `Expected files, folders or patterns, got '${STDIN}': standard input is read by 'stats' alone, as its only input.`,
    );
  }
  const absent = inputs.length === 1 ? [] : inputs.flatMap(findUnread);
  const absentInputs = new Set(absent.map(({ file }) => file));
  const found = toInputs(discoverSessionFiles(inputs.filter((input) => !absentInputs.has(input))));
  return { ...found, unread: [...absent, ...found.unread], nameOf: asGiven, pathOf: asGiven };
}

function toInputs({ files, unread }: SearchResult): Omit<RunInputs, 'nameOf' | 'pathOf'> {
  return { files, unread: unread.map(({ path, reason }) => ({ file: path, reason })) };
}

function asGiven(path: string): string {
  return path;
}

/** One bad input among several does not stop the others. */
function findUnread(input: string): readonly UnreadInput[] {
  const found = unlessWrongInput(() => discoverSessionFiles([input]));
  return found instanceof HarnessError ? [{ file: input, reason: found.message }] : [];
}
