import { type Dirent, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { decodeText, statOf, unreadable } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';
import type { NearbyFile, Surroundings } from '../format.ts';

interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly isLinked?: true;
}

interface UnreadableEntry extends Pick<FolderEntry, 'name' | 'path'> {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** A result of a search. */
export type FoundEntry = FolderEntry | UnreadableEntry;

type SelectEntries = (entries: readonly FoundEntry[]) => readonly FoundEntry[];

/** Results of a search. */
export interface SearchResult {
  readonly files: readonly string[];
  readonly unread: readonly UnreadableEntry[];
}

interface Place {
  readonly folder: string;
  readonly segments: readonly string[];
}

/** Linked folders may form a ring, and come after all others, whose names are shorter. */
interface Search<Waiting> {
  readonly seen: Set<string>;
  readonly waiting: Waiting[];
}

const ANY_DEPTH = '**';
const WILDCARD = /[*?]/;
/** Aider and Crush keep sessions there. */
const OF_PROJECTS = new Set(['.aider.chat.history.md', '.crush']);
const SPECIAL = /[\\^$.|+()[\]{}]/g;
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
export function kindOf(path: string): FolderEntry['kind'] | undefined {
  const stats = statOf(path);
  return stats && (stats.isDirectory() ? 'folder' : 'file');
}

/** A path with forward slashes on every system. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}

/** Searches a folder and the folders linked below it, each once. */
export function searchFolder(folder: string, select: SelectEntries): readonly FoundEntry[] {
  const search: Search<FolderEntry> = { seen: new Set([realPathOf(folder)]), waiting: [] };
  function* enter(entries: readonly FoundEntry[]): Generator<FoundEntry, void, void> {
    for (const entry of select(entries)) {
      if (isSkipped(entry)) continue;
      if (entry.kind !== 'folder') yield entry;
      else if (entry.isLinked) search.waiting.push(entry);
      else yield* below(entry);
    }
  }
  function* below({ path }: FolderEntry): Generator<FoundEntry, void, void> {
    if (!isNew(path, search)) return;
    const inside = openFolder(path);
    if ('reason' in inside) yield inside;
    else yield* enter(inside);
  }
  const found = [...enter(readFolder(toSlashes(folder)))];
  // More may come while it is gone through.
  for (const entry of search.waiting) found.push(...below(entry));
  return found;
}

/** Merges the entries of several searches. */
export function toSearchResult(found: readonly FoundEntry[]): SearchResult {
  const folders = new Map<string, string>();
  // One key for all paths that links of folders give a file. A linked file keeps its own name.
  const keyOf = (path: string) => {
    const folder = dirname(path);
    return join(
      keepIn(folders, folder, () => realPathOf(folder)),
      basename(path),
    );
  };
  const entries = [...new Map(found.toReversed().map((one) => [keyOf(one.path), one])).values()];
  const files = entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
  const unread = entries.filter((entry) => entry.kind === 'unreadable');
  return { files: files.toSorted(), unread: unread.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Checks for wildcards: `*` and `?` match within a name, `**` any number of folders. */
export function isGlob(path: string): boolean {
  return WILDCARD.test(path);
}

/** Files that match a pattern, with repeats; wildcards skip hidden entries. */
export function expandGlob(pattern: string): readonly FoundEntry[] {
  const written = toSlashes(pattern).split('/');
  const steps = written.filter((step, index) => step !== ANY_DEPTH || written[index - 1] !== step);
  const isAbsolute = steps[0] === '';
  const start = { folder: isAbsolute ? '/' : '', segments: isAbsolute ? steps.slice(1) : steps };
  const search: Search<Place> = { seen: new Set(), waiting: [start] };
  const found: FoundEntry[] = [];
  // More may come while they are gone through.
  for (const place of search.waiting) found.push(...matchIn(place, search));
  return found;
}

/** The surroundings of a file on disk. A name that would leave its folder gives nothing. */
export function surroundingsOf(path: string): Surroundings {
  return {
    filesIn: ({ up, names }) => {
      if (!names.every((name) => PLAIN_NAME.test(name))) return [];
      const folder = join(dirname(path), ...Array<string>(up).fill('..'), ...names);
      if (kindOf(folder) !== 'folder') return [];
      const files = readFolder(folder).filter(({ kind }) => kind === 'file');
      return files.map(
        ({ name, path }): NearbyFile => ({ name, readText: () => decodeText(readFileSync(path)) }),
      );
    },
  };
}

function orUnreadable<Value>(path: string, look: () => Value): Value | UnreadableEntry {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { name: basename(path), path, kind: 'unreadable', reason: error.message };
  }
}

/** Entries of a folder, sorted by name, without dead links; '' is the current folder. */
function readFolder(folder: string): readonly FoundEntry[] {
  try {
    const entries = readdirSync(folder || '.', { withFileTypes: true });
    return entries
      .flatMap((entry) => toEntry(folder, entry))
      .toSorted((a, b) => compareTexts(a.name, b.name));
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

function entryAt(path: string): FoundEntry | undefined {
  return orUnreadable(path, () => {
    const kind = kindOf(path);
    return kind && { name: basename(path), path, kind };
  });
}

function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder || '.');
  } catch {
    return resolve(folder);
  }
}

function isNew(folder: string, { seen }: Search<unknown>, mark = ''): boolean {
  const key = `${mark}${realPathOf(folder)}`;
  const isFirst = !seen.has(key);
  seen.add(key);
  return isFirst;
}

function isSkipped({ name, kind }: FoundEntry): boolean {
  const isHidden = name.startsWith('.') && !OF_PROJECTS.has(name);
  return isHidden || (kind === 'folder' && name === 'node_modules');
}

function* matchIn({ folder, segments }: Place, search: Search<Place>): Generator<FoundEntry> {
  const [segment = '*', ...rest] = segments;
  if (!isGlob(segment)) {
    yield* matchEntry(entryAt(pathIn(folder, segment)), rest, search);
    return;
  }
  const isAnyDepth = segment === ANY_DEPTH;
  if (isAnyDepth && !isNew(folder, search, `${segments.length} `)) return;
  const entries = openFolder(folder);
  if ('reason' in entries) {
    yield entries;
    return;
  }
  // In the folder itself, then at any depth below it.
  if (isAnyDepth) yield* matchIn({ folder, segments: rest }, search);
  const name = toNamePattern(segment);
  for (const entry of entries) {
    const isWanted = isAnyDepth ? entry.kind === 'folder' : name.test(entry.name);
    if (!isWanted || (isSkipped(entry) && !segment.startsWith('.'))) continue;
    yield* matchEntry(entry, isAnyDepth ? segments : rest, search);
  }
}

function* matchEntry(
  entry: FoundEntry | undefined,
  rest: readonly string[],
  search: Search<Place>,
): Generator<FoundEntry> {
  if (entry?.kind === 'unreadable') yield entry;
  if (entry?.kind === 'file' && rest.length === 0) yield entry;
  if (entry?.kind !== 'folder' || rest.length === 0) return;
  const place = { folder: entry.path, segments: rest };
  if (entry.isLinked) search.waiting.push(place);
  else yield* matchIn(place, search);
}

function toNamePattern(segment: string): RegExp {
  const source = segment.replaceAll(SPECIAL, '\\$&').replaceAll(/\*+/g, '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
