import { basename, dirname, join } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { HEADER_FILE, RESULTS_FILE, statOf } from '../../lib/files.ts';
import { isMisspelt, nearestNames, quotedLong } from '../../lib/names.ts';
import { withoutPieces } from '../formats/opencode-storage.ts';
import { parseSessionName } from '../session.ts';
import {
  expandGlob,
  fileAt,
  type FoundEntry,
  isGlob,
  kindOf,
  openFolder,
  searchFolder,
  type SearchResult,
  toSearchResult,
} from './folder.ts';
import { withoutSurroundings } from './stores.ts';

const SWEEP_FILES: readonly string[] = [HEADER_FILE, RESULTS_FILE];
const SESSION_EXTENSION =
  /\.(eval|json|jsonl|traj)$|^(opencode|kilo)[-\w]*\.db$|^crush\.db$|^\.aider\.chat\.history\.md$/i;
/** Names of recordings without an extension, made of the session's id. */
const SESSION_NAME =
  /^((session|rollout|agent|transcript|ses)[-_][^.]*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Finds session files by paths, folders, where only names of recordings count, and patterns. Throws `HarnessError`. */
export function discoverSessionFiles(inputs: readonly string[]): SearchResult {
  return toSearchResult(inputs.flatMap(expandInput));
}

/** The error for a missing path, with the most similar existing one. */
export function nothingThere(path: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quotedLong(path)} to be a file, folder or pattern, got nothing at that path${hintOf(path)}.`,
  );
}

function expandInput(input: string): readonly FoundEntry[] {
  const kind = kindOf(input);
  if (kind === 'file') return [fileAt(input)];
  if (kind === 'folder') return expectSome(input, searchFolder(input, selectSessions));
  if (isGlob(input)) return expectSome(input, expandGlob(input));
  throw nothingThere(input);
}

function expectSome(input: string, found: readonly FoundEntry[]): readonly FoundEntry[] {
  if (found.length > 0) return found;
  throw new HarnessError('NO_INPUT', `Expected session files at ${quotedLong(input)}, got none.`);
}

function selectSessions(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return withoutSurroundings(withoutPieces(withoutSweep(entries))).filter(
    (entry) => entry.kind !== 'file' || isNamedLikeSession(entry),
  );
}

/** Leaves out the files of a sweep that lie beside sessions, so that the same command finds the same files again. */
function withoutSweep(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const names = new Set(entries.map(({ name }) => name));
  if (!SWEEP_FILES.every((name) => names.has(name))) return entries;
  return entries.filter(({ name }) => !SWEEP_FILES.includes(name));
}

function isNamedLikeSession({ name }: FoundEntry): boolean {
  return SESSION_EXTENSION.test(name) || SESSION_NAME.test(name);
}

function hintOf(path: string): string {
  const { path: file, index } = parseSessionName(path);
  if (index !== undefined && statOf(file) !== undefined) {
    return `; ${quotedLong(file)} is there, of whose sessions only 'explain', 'whatif' and 'check minimize' take one as path#index`;
  }
  const nearest = nearestPath(path);
  return nearest === undefined ? '' : `; nearest: ${quotedLong(nearest)}`;
}

/** The most similar existing path for the path, or for its first missing parent folder. */
function nearestPath(path: string): string | undefined {
  const parent = dirname(path);
  if (statOf(parent) === undefined) return parent === path ? undefined : nearestPath(parent);
  const given = basename(path);
  const alike = namesIn(parent).filter((name) => isMisspelt(given, name));
  const [nearest] = nearestNames(given, alike, 1);
  return nearest === undefined ? undefined : join(parent, nearest);
}

function namesIn(folder: string): readonly string[] {
  const entries = openFolder(folder);
  return 'kind' in entries ? [] : entries.map(({ name }) => name);
}
