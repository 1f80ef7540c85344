import { HarnessError } from '../../lib/errors.ts';
import { HEADER_FILE, RESULTS_FILE } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { withoutPieces } from '../opencode-storage/tree.ts';
import { fileAt, type FoundEntry, kindOf } from './folder.ts';
import { expandGlob, isGlob } from './glob.ts';
import { nothingThere } from './nothing-there.ts';
import { searchFolder, type SearchResult, toSearchResult } from './search-folder.ts';

const SWEEP_FILES: readonly string[] = [HEADER_FILE, RESULTS_FILE];
const SESSION_EXTENSION = /\.(json|jsonl|traj)$/i;
/** Recorders that write no extension name their files after the session. */
const SESSION_NAME =
  /^((session|rollout|agent|transcript|ses)[-_][^.]*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;

/**
 * The files that paths, folders and patterns stand for. A named file is taken whatever it is called; in folders only
 * what is named like a recording is. Throws `HarnessError` where a path stands for nothing, or cannot be read itself.
 */
export function discoverSessionFiles(inputs: readonly string[]): SearchResult {
  return toSearchResult(inputs.flatMap(expandInput));
}

function expandInput(input: string): readonly FoundEntry[] {
  const kind = kindOf(input);
  if (kind === 'file') return [fileAt(input)];
  if (kind === 'folder') return expectSome(input, searchFolder(input, selectSessions));
  if (isGlob(input)) return expectSome(input, expandGlob(input));
  throw nothingThere(input);
}

function selectSessions(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return withoutPieces(withoutSweep(entries)).filter(
    (entry) => entry.kind !== 'file' || isNamedLikeSession(entry),
  );
}

/** What a sweep has kept beside sessions is none of them: the same command finds the same files again. */
function withoutSweep(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const names = new Set(entries.map(({ name }) => name));
  if (!SWEEP_FILES.every((name) => names.has(name))) return entries;
  return entries.filter(({ name }) => !SWEEP_FILES.includes(name));
}

function isNamedLikeSession({ name }: FoundEntry): boolean {
  return SESSION_EXTENSION.test(name) || SESSION_NAME.test(name);
}

function expectSome(input: string, found: readonly FoundEntry[]): readonly FoundEntry[] {
  if (found.length > 0) return found;
  throw new HarnessError('NO_INPUT', `Expected session files at ${quotedLong(input)}, got none.`);
}
