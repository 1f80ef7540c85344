import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { decodeText, statOf, unreadable } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';
import type { FolderPlace, NearbyFile, Surroundings } from '../format.ts';

/** An entry of a folder. */
interface FolderEntry {
  readonly name: string;
  /** The folder as given, and the name. */
  readonly path: string;
  readonly kind: PathKind;
  /** Set for a link to a folder. */
  readonly isLinked?: true;
}

/** An entry that cannot be read. */
interface UnreadableEntry extends Pick<FolderEntry, 'name' | 'path'> {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** A result of a search. */
export type FoundEntry = FolderEntry | UnreadableEntry;

type PathKind = 'file' | 'folder';

/** Selects the entries that a search takes or descends into. */
type SelectEntries = (entries: readonly FoundEntry[]) => readonly FoundEntry[];

/** Results of a search. */
export interface SearchResult {
  /** Paths of files, sorted, each once in the spelling that was found first. */
  readonly files: readonly string[];
  /** Entries below the named folders and patterns that cannot be read, each once. */
  readonly unread: readonly UnreadableEntry[];
}

/** The state of a folder search. */
interface Search {
  readonly select: SelectEntries;
  /** Real paths of the folders already searched. */
  readonly seen: Set<string>;
  /** Linked folders, searched after all others, whose names are shorter. */
  readonly linked: FolderEntry[];
}

/** A folder and the rest of a pattern to match below it. */
interface Place {
  readonly folder: string;
  readonly segments: readonly string[];
}

/** The state of a pattern search. */
interface SearchOfGlob {
  /** Folders where `**` was matched, with the length of the rest of the pattern; linked folders may form a ring. */
  readonly seen: Set<string>;
  /** Places still to be searched: linked folders come after all others, whose names are shorter. */
  readonly places: Place[];
}

const ANY_DEPTH = '**';
const WILDCARD = /[*?]/;
/** Aider and Crush keep sessions there. */
const OF_PROJECTS = new Set(['.aider.chat.history.md', '.crush']);
const SPECIAL = /[\\^$.|+()[\]{}]/g;

/** Names of direct children only. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^/\\:\0]+$/;

/** Entries of a folder that a search reached; an unreadable entry where it cannot be read. */
export function openFolder(path: string): readonly FoundEntry[] | UnreadableEntry {
  return orUnreadable(path, () => readFolder(path));
}

/** The entry of a file that was named. */
export function fileAt(path: string): FolderEntry {
  return { name: basename(path), path: toSlashes(path), kind: 'file' };
}

/** The kind of a path; `undefined` if nothing exists there. */
export function kindOf(path: string): PathKind | undefined {
  const stats = statOf(path);
  return stats && kindOfStats(stats);
}

/** A path with forward slashes on every system. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}

/** Searches a folder and the folders linked below it, each once. Throws `HarnessError` if the folder itself cannot be read. */
export function searchFolder(folder: string, select: SelectEntries): readonly FoundEntry[] {
  const search: Search = { select, seen: new Set([realPathOf(folder)]), linked: [] };
  const found = [...searchEntries(readFolder(toSlashes(folder)), search)];
  // More may come while it is gone through.
  for (const entry of search.linked) found.push(...searchBelow(entry, search));
  return found;
}

/** Merges the entries of several searches. */
export function toSearchResult(found: readonly FoundEntry[]): SearchResult {
  const keyOf = createKeys();
  const entries = [...new Map(found.toReversed().map((one) => [keyOf(one.path), one])).values()];
  const files = entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
  const unread = entries.filter((entry) => entry.kind === 'unreadable');
  return { files: files.toSorted(), unread: unread.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Checks for wildcards: `*` and `?` match within a name, `**` any number of folders. */
export function isGlob(path: string): boolean {
  return WILDCARD.test(path);
}

/**
 * Files that match a pattern, with repeats, and entries that cannot be read. Wildcards skip hidden entries unless the pattern names
 * the dot.
 */
export function expandGlob(pattern: string): readonly FoundEntry[] {
  const written = toSlashes(pattern).split('/');
  const steps = written.filter((segment, index) => !isRepeat(segment, written[index - 1]));
  const isAbsolute = steps[0] === '';
  const start = { folder: isAbsolute ? '/' : '', segments: isAbsolute ? steps.slice(1) : steps };
  const search: SearchOfGlob = { seen: new Set(), places: [start] };
  const found: FoundEntry[] = [];
  // More may come while they are gone through.
  for (const place of search.places) found.push(...matchIn(place, search));
  return found;
}

/** The surroundings of a file on disk. A name that would leave its folder gives nothing. */
export function surroundingsOf(path: string): Surroundings {
  return { filesIn: (place) => filesIn(dirname(path), place) };
}

function orUnreadable<Value>(path: string, look: () => Value): Value | UnreadableEntry {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { name: basename(path), path, kind: 'unreadable', reason: error.message };
  }
}

/**
 * Entries of a folder, sorted by name, without dead links; '' is the current folder. Throws `HarnessError` if the folder cannot be
 * read.
 */
function readFolder(folder: string): readonly FoundEntry[] {
  try {
    const entries = readdirSync(folder || '.', { withFileTypes: true });
    return entries.flatMap((entry) => toEntry(folder, entry)).toSorted(byName);
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function toEntry(folder: string, entry: Dirent): readonly FoundEntry[] {
  const { name } = entry;
  const path = pathIn(folder, name);
  if (entry.isDirectory()) return [{ name, path, kind: 'folder' }];
  if (entry.isFile()) return [{ name, path, kind: 'file' }];
  const linked = entry.isSymbolicLink() ? entryAt(path) : undefined;
  if (linked === undefined) return [];
  return [linked.kind === 'folder' ? { ...linked, isLinked: true } : linked];
}

function pathIn(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

/** The entry at a path that a search reached; absent if nothing exists there. */
function entryAt(path: string): FoundEntry | undefined {
  return orUnreadable(path, () => {
    const kind = kindOf(path);
    return kind && { name: basename(path), path, kind };
  });
}

function byName(a: FoundEntry, b: FoundEntry): number {
  return compareTexts(a.name, b.name);
}

function kindOfStats(stats: Stats): PathKind {
  return stats.isDirectory() ? 'folder' : 'file';
}

/** The real path of a folder; the resolved path where it cannot be found. */
function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder || '.');
  } catch {
    return resolve(folder);
  }
}

function* searchEntries(
  entries: readonly FoundEntry[],
  search: Search,
): Generator<FoundEntry, void, void> {
  for (const entry of search.select(entries)) {
    if (isSkipped(entry)) continue;
    if (entry.kind !== 'folder') yield entry;
    else if (entry.isLinked) search.linked.push(entry);
    else yield* searchBelow(entry, search);
  }
}

/** Hidden entries and installed packages are skipped, but for what agents keep in the folder of a project. */
function isSkipped({ name, kind }: FoundEntry): boolean {
  const isHidden = name.startsWith('.') && !OF_PROJECTS.has(name);
  return isHidden || (kind === 'folder' && name === 'node_modules');
}

function* searchBelow({ path }: FolderEntry, search: Search): Generator<FoundEntry, void, void> {
  const real = realPathOf(path);
  if (search.seen.has(real)) return;
  search.seen.add(real);
  const inside = openFolder(path);
  if ('reason' in inside) yield inside;
  else yield* searchEntries(inside, search);
}

/** Makes one key for all paths that links of folders give a file. A linked file keeps its own name. */
function createKeys(): (path: string) => string {
  const folders = new Map<string, string>();
  return (path) => {
    const folder = dirname(path);
    return join(
      keepIn(folders, folder, () => realPathOf(folder)),
      basename(path),
    );
  };
}

function isRepeat(segment: string, previous: string | undefined): boolean {
  return segment === ANY_DEPTH && previous === ANY_DEPTH;
}

function* matchIn(place: Place, search: SearchOfGlob): Generator<FoundEntry> {
  const { folder, segments } = place;
  const [segment = '*', ...rest] = segments;
  if (!isGlob(segment)) {
    yield* matchEntry(entryAt(pathIn(folder, segment)), rest, search);
    return;
  }
  if (segment === ANY_DEPTH && !isNew(place, search)) return;
  const entries = openFolder(folder);
  if ('reason' in entries) yield entries;
  else if (segment === ANY_DEPTH) yield* matchBelow(place, entries, search);
  else yield* matchEntries(place, entries, search);
}

/** Yields a file when no pattern is left, and goes on below a folder otherwise. */
function* matchEntry(
  entry: FoundEntry | undefined,
  rest: readonly string[],
  search: SearchOfGlob,
): Generator<FoundEntry> {
  if (entry?.kind === 'unreadable') yield entry;
  if (entry?.kind === 'file' && rest.length === 0) yield entry;
  if (entry?.kind !== 'folder' || rest.length === 0) return;
  const place = { folder: entry.path, segments: rest };
  if (entry.isLinked) search.places.push(place);
  else yield* matchIn(place, search);
}

function isNew({ folder, segments }: Place, { seen }: SearchOfGlob): boolean {
  const key = `${segments.length} ${realPathOf(folder)}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** Matches in the folder itself and at any depth below it. */
function* matchBelow(
  { folder, segments }: Place,
  entries: readonly FoundEntry[],
  search: SearchOfGlob,
): Generator<FoundEntry> {
  yield* matchIn({ folder, segments: segments.slice(1) }, search);
  for (const entry of entries) {
    if (entry.kind === 'folder' && !isSkipped(entry)) yield* matchEntry(entry, segments, search);
  }
}

function* matchEntries(
  { segments: [segment = '*', ...rest] }: Place,
  entries: readonly FoundEntry[],
  search: SearchOfGlob,
): Generator<FoundEntry> {
  const name = toNamePattern(segment);
  for (const entry of entries) {
    if (!name.test(entry.name) || (isSkipped(entry) && !segment.startsWith('.'))) continue;
    yield* matchEntry(entry, rest, search);
  }
}

function toNamePattern(segment: string): RegExp {
  const source = segment.replaceAll(SPECIAL, '\\$&').replaceAll(/\*+/g, '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}

function filesIn(start: string, { up, names }: FolderPlace): readonly NearbyFile[] {
  if (!names.every((name) => PLAIN_NAME.test(name))) return [];
  const folder = join(start, ...Array<string>(up).fill('..'), ...names);
  if (kindOf(folder) !== 'folder') return [];
  const files = readFolder(folder).filter(({ kind }) => kind === 'file');
  return files.map((file) => ({
    name: file.name,
    readText: () => decodeText(readFileSync(file.path)),
  }));
}
