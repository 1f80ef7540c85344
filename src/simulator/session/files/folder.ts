import { type Dirent, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { statOf, unreadable } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';

/** A file or folder in a folder. */
export interface FolderEntry {
  readonly name: string;
  /** The path of the folder as it was given, and the name. */
  readonly path: string;
  readonly kind: PathKind;
  /** Set for a folder that lies elsewhere. */
  readonly isLinked?: true;
}

/** Something in a folder, or below a pattern, that may not be looked at. */
export interface UnreadableEntry extends Pick<FolderEntry, 'name' | 'path'> {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** What a search may find. */
export type FoundEntry = FolderEntry | UnreadableEntry;

type PathKind = 'file' | 'folder';

/**
 * What lies in a folder, sorted by name; links to nothing are left out. The path '' is the current folder. Throws `HarnessError` where the folder itself cannot be read.
 */
export function readFolder(folder: string): readonly FoundEntry[] {
  try {
    const entries = readdirSync(folder || '.', { withFileTypes: true });
    return entries.flatMap((entry) => toEntry(folder, entry)).toSorted(byName);
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

/** The entries of a folder that nobody named: where it cannot be read, it is unreadable like anything that lies in one. */
export function openFolder(path: string): readonly FoundEntry[] | UnreadableEntry {
  return orUnreadable(path, () => readFolder(path));
}

/** A file that was named. */
export function fileAt(path: string): FolderEntry {
  return { name: basename(path), path: toSlashes(path), kind: 'file' };
}

/** What lies at a path that nobody named; absent if nothing does. */
export function entryAt(path: string): FoundEntry | undefined {
  return orUnreadable(path, () => {
    const kind = kindOf(path);
    return kind && { name: basename(path), path, kind };
  });
}

/** What lies at a path, or `undefined` if nothing does. */
export function kindOf(path: string): PathKind | undefined {
  const stats = statOf(path);
  return stats && kindOfStats(stats);
}

/** Whether searching leaves the entry out: hidden, or installed packages. */
export function isSkipped({ name, kind }: FoundEntry): boolean {
  return name.startsWith('.') || (kind === 'folder' && name === 'node_modules');
}

/** Where a folder really lies, whatever links lead to it; the path as it is where nobody can tell. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder || '.');
  } catch {
    return resolve(folder);
  }
}

/** A path with forward slashes, whatever the system writes. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}

/** The path of something in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
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

function kindOfStats(stats: Stats): PathKind {
  return stats.isDirectory() ? 'folder' : 'file';
}

function byName(a: FoundEntry, b: FoundEntry): number {
  return compareTexts(a.name, b.name);
}

function orUnreadable<Value>(path: string, look: () => Value): Value | UnreadableEntry {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { name: basename(path), path, kind: 'unreadable', reason: error.message };
  }
}
