import { resolve } from 'node:path';
import {
  type FoundEntry,
  isSkipped,
  openFolder,
  readFolder,
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

/** All that is selected below a folder. Throws `HarnessError` where that folder itself cannot be read. */
export function searchFolder(folder: string, select: SelectEntries): readonly FoundEntry[] {
  return [...searchEntries(readFolder(toSlashes(folder)), select)];
}

/** What was found by several searches, as one. */
export function toSearchResult(found: readonly FoundEntry[]): SearchResult {
  const entries = [...new Map(found.toReversed().map((one) => [resolve(one.path), one])).values()];
  const files = entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
  const unread = entries.filter((entry) => entry.kind === 'unreadable');
  return { files: files.toSorted(), unread: unread.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

function* searchEntries(
  entries: readonly FoundEntry[],
  select: SelectEntries,
): Generator<FoundEntry, void, void> {
  for (const entry of select(entries)) {
    if (isSkipped(entry)) continue;
    if (entry.kind !== 'folder') yield entry;
    else {
      const inside = openFolder(entry.path);
      if ('reason' in inside) yield inside;
      else yield* searchEntries(inside, select);
    }
  }
}
