import { basename, dirname, join } from 'node:path';
import { keepIn } from '../../lib/collections.ts';
import {
  type FolderEntry,
  type FoundEntry,
  isSkipped,
  openFolder,
  readFolder,
  realPathOf,
  toSlashes,
  type UnreadableEntry,
} from './folder.ts';

/** Those entries of a folder that a search is about, with the folders that it goes into. */
export type SelectEntries = (entries: readonly FoundEntry[]) => readonly FoundEntry[];

/** What a search came to. */
export interface SearchResult {
  /** The paths of files, sorted, each once and spelled as it was found first. */
  readonly files: readonly string[];
  /** What lies below the folders and patterns that were named, but may not be looked at; each once. */
  readonly unread: readonly UnreadableEntry[];
}

/** A search that goes on. */
interface Search {
  readonly select: SelectEntries;
  /** Where the folders really lie that it has been in. */
  readonly seen: Set<string>;
  /** Linked folders, for which it goes into those that lie here first: they have the shorter names. */
  readonly linked: FolderEntry[];
}

/**
 * All that is selected below a folder and the folders that are linked there, each of which is searched once. Throws
 * `HarnessError` where that folder itself cannot be read.
 */
export function searchFolder(folder: string, select: SelectEntries): readonly FoundEntry[] {
  const search: Search = { select, seen: new Set([realPathOf(folder)]), linked: [] };
  const found = [...searchEntries(readFolder(toSlashes(folder)), search)];
  // More may come while it is gone through.
  for (const entry of search.linked) found.push(...searchBelow(entry, search));
  return found;
}

/** What was found by several searches, as one. */
export function toSearchResult(found: readonly FoundEntry[]): SearchResult {
  const keyOf = createKeys();
  const entries = [...new Map(found.toReversed().map((one) => [keyOf(one.path), one])).values()];
  const files = entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
  const unread = entries.filter((entry) => entry.kind === 'unreadable');
  return { files: files.toSorted(), unread: unread.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Makes a key of a path: one for all paths by which links lead to one file; a file that is a link itself keeps its own name. */
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

function* searchBelow({ path }: FolderEntry, search: Search): Generator<FoundEntry, void, void> {
  const real = realPathOf(path);
  if (search.seen.has(real)) return;
  search.seen.add(real);
  const inside = openFolder(path);
  if ('reason' in inside) yield inside;
  else yield* searchEntries(inside, search);
}
