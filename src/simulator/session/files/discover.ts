import { basename, dirname, join } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { HEADER_FILE, RESULTS_FILE, statOf } from '../../lib/files.ts';
import { isMisspelt, nearestNames, quotedLong } from '../../lib/names.ts';
import { withoutPieces } from '../formats/opencode-stores.ts';
import { parseSessionName } from '../session.ts';
import * as folders from './folder.ts';

interface Store {
  readonly marks: readonly string[];
  readonly leastMarks: number;
  readonly holds: readonly string[];
}

const SWEEP_FILES: readonly string[] = [HEADER_FILE, RESULTS_FILE];
const SESSION_EXTENSION =
  /\.(eval|json|jsonl|traj)$|^(opencode|kilo)[-\w]*\.db$|^crush\.db$|^\.aider\.chat\.history\.md$/i;
const SESSION_NAME =
  /^((session|rollout|agent|transcript|ses)[-_][^.]*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;

const HOME_MARKS =
  'auth.json config.json config.toml config.yaml device_id extensions file-history globalState.json ' +
  'history history.jsonl index installation_id logs mcp-config.json mcp.json models-store.json ' +
  'models.json output-language.md permissions.yaml plugins projects.json secrets.json ' +
  'session_index.jsonl settings settings.json shell-snapshots skills statsig todos usage workspaces.json';

/** Folders with sessions among much else. Sources: what each agent left after a run, and `docs/reference/places.md`. */
const STORES: readonly Store[] = [
  storeOf(HOME_MARKS, 'archived_sessions projects session-state sessions tasks tmp', 2),
  storeOf('kilo.db opencode.db', 'kilo.db opencode.db storage'),
  storeOf('extract-cursor.json logs.json memory meta.json tool-outputs', 'chats'),
  storeOf('notify state.json', 'agents'),
  storeOf('checkpoints workspace.yaml', 'events.jsonl'),
  storeOf('context.jsonl', 'context.jsonl context_sub.jsonl subagents'),
  storeOf('api_conversation_history.json', 'api_conversation_history.json'),
  storeOf('task_metadata.json', 'ui_messages.json'),
];

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl?$/;
const INDEX = /^sessions(?:-index)?\.json$/;
const BESIDE = /^(.+)\.(?:meta|settings)\.json$/;

/** Finds session files by paths, folders and patterns. */
export function discoverSessionFiles(inputs: readonly string[]): folders.SearchResult {
  return folders.toSearchResult(inputs.flatMap(expandInput));
}

/** The error for a missing path, with the most similar existing one. */
export function nothingThere(path: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quotedLong(path)} to be a file, folder or pattern, got nothing at that path${hintOf(path)}.`,
  );
}

function expandInput(input: string): readonly folders.FoundEntry[] {
  const kind = folders.kindOf(input);
  if (kind === 'file') return [folders.fileAt(input)];
  if (kind === 'folder') return expectSome(input, folders.searchFolder(input, selectSessions));
  if (folders.isGlob(input)) return expectSome(input, folders.expandGlob(input));
  throw nothingThere(input);
}

function expectSome(input: string, found: readonly folders.FoundEntry[]) {
  if (found.length > 0) return found;
  throw new HarnessError('NO_INPUT', `Expected session files at ${quotedLong(input)}, got none.`);
}

function selectSessions(entries: readonly folders.FoundEntry[]): readonly folders.FoundEntry[] {
  return withoutSurroundings(withoutPieces(withoutSweep(entries))).filter(
    (entry) =>
      entry.kind !== 'file' || SESSION_EXTENSION.test(entry.name) || SESSION_NAME.test(entry.name),
  );
}

function withoutSweep(entries: readonly folders.FoundEntry[]): readonly folders.FoundEntry[] {
  const names = new Set(entries.map(({ name }) => name));
  if (!SWEEP_FILES.every((name) => names.has(name))) return entries;
  return entries.filter(({ name }) => !SWEEP_FILES.includes(name));
}

function withoutSurroundings(entries: readonly folders.FoundEntry[]) {
  const names = new Set(entries.map(({ name }) => name));
  const count = (list: readonly string[]) => list.filter((name) => names.has(name)).length;
  const store = STORES.find(
    ({ marks, leastMarks, holds }) => count(marks) >= leastMarks && count(holds) > 0,
  );
  const isKept = (name: string) => store?.holds.includes(name) ?? !isBeside(name, names);
  return entries.filter(({ name }) => isKept(name));
}

function isBeside(name: string, names: ReadonlySet<string>): boolean {
  // Cline writes messages into a file of their own, and its newest compaction into another.
  const messages = name.replace(/(?:\.compaction)?\.json$/, '.messages.json');
  if (name.endsWith('.json') && names.has(messages)) return true;
  if (names.has(`${BESIDE.exec(name)?.[1] ?? ''}.jsonl`)) return true;
  if (INDEX.test(name) && [...names].some((other) => ID.test(other))) return true;
  // OpenCode keeps lists of changes there even where its sessions are in a database.
  return name === 'session_diff' || (name === 'projects.json' && names.has('sessions'));
}

function storeOf(marks: string, holds: string, leastMarks = 1): Store {
  return { marks: marks.split(' '), leastMarks, holds: holds.split(' ') };
}

function hintOf(path: string): string {
  const { path: file, index } = parseSessionName(path);
  if (index !== undefined && statOf(file) !== undefined)
    return `; ${quotedLong(file)} is there, of whose sessions only 'explain', 'whatif' and 'check minimize' take one as path#index`;
  const nearest = nearestPath(path);
  return nearest === undefined ? '' : `; nearest: ${quotedLong(nearest)}`;
}

function nearestPath(path: string): string | undefined {
  const parent = dirname(path);
  if (statOf(parent) === undefined) return parent === path ? undefined : nearestPath(parent);
  const given = basename(path);
  const alike = namesIn(parent).filter((name) => isMisspelt(given, name));
  const [nearest] = nearestNames(given, alike, 1);
  return nearest === undefined ? undefined : join(parent, nearest);
}

function namesIn(folder: string): readonly string[] {
  const entries = folders.openFolder(folder);
  return 'kind' in entries ? [] : entries.map(({ name }) => name);
}
