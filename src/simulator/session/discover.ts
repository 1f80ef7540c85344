import { resolve } from 'node:path';
import { HarnessError } from '../errors.ts';
import { quotedLong } from '../names.ts';
import { type FolderEntry, isSkipped, kindOf, readFolder, toSlashes } from './folder.ts';
import { expandGlob, isGlob } from './glob.ts';
import { withoutPieces } from './opencode-storage/tree.ts';

const SESSION_EXTENSION = /\.(json|jsonl|traj)$/i;
/** Recorders that write no extension name their files after the session. */
const SESSION_NAME =
  /^((session|rollout|agent|transcript|ses)[-_][^.]*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;

/**
 * The files that paths, folders and patterns stand for, sorted, each once and spelled as first given.
 * A named file is taken whatever it is called; in folders only what is named like a recording is.
 */
export function discoverSessionFiles(inputs: readonly string[]): readonly string[] {
  const byLocation = new Map<string, string>();
  for (const path of inputs.flatMap(expandInput)) {
    const location = resolve(path);
    if (!byLocation.has(location)) byLocation.set(location, path);
  }
  return [...byLocation.values()].toSorted();
}

function expandInput(input: string): readonly string[] {
  const kind = kindOf(input);
  if (kind === 'file') return [toSlashes(input)];
  if (kind === 'folder') return expectSome(input, [...filesBelow(toSlashes(input))]);
  if (isGlob(input)) return expectSome(input, expandGlob(input));
  throw new HarnessError(
    'UNREADABLE',
    `Expected ${quotedLong(input)} to be a file, folder or pattern, got nothing at that path.`,
  );
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of withoutPieces(readFolder(folder))) {
    if (isSkipped(entry)) continue;
    if (entry.kind === 'folder') yield* filesBelow(entry.path);
    else if (isNamedLikeSession(entry)) yield entry.path;
  }
}

function isNamedLikeSession({ name }: FolderEntry): boolean {
  return SESSION_EXTENSION.test(name) || SESSION_NAME.test(name);
}

function expectSome(input: string, paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths;
  throw new HarnessError('NO_INPUT', `Expected session files at ${quotedLong(input)}, got none.`);
}
