import { type Dirent, readdirSync, type Stats } from 'node:fs';
import { sep } from 'node:path';
import { statOf, unreadable } from '../stat-of.ts';

/** A file or folder in a folder. */
export interface FolderEntry {
  readonly name: string;
  /** The path of the folder as it was given, and the name. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** Files and folders that lie in a folder, sorted by name; linked folders are left out. The path '' is the current folder. */
export function readFolder(folder: string): readonly FolderEntry[] {
  const entries = orUnreadable(folder, () => readdirSync(folder || '.', { withFileTypes: true }));
  return entries.flatMap((entry) => toEntry(folder, entry)).toSorted(byName);
}

/** What lies at a path, or `undefined` if nothing does. */
export function kindOf(path: string): FolderEntry['kind'] | undefined {
  const stats = statOf(path);
  return stats && kindOfStats(stats);
}

/** Whether searching leaves the entry out: hidden, or installed packages. */
export function isSkipped({ name, kind }: FolderEntry): boolean {
  return name.startsWith('.') || (kind === 'folder' && name === 'node_modules');
}

/** A path with forward slashes, whatever the system writes. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}

/** The path of something in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

function toEntry(folder: string, entry: Dirent): readonly FolderEntry[] {
  const path = pathIn(folder, entry.name);
  if (entry.isDirectory()) return [{ name: entry.name, path, kind: 'folder' }];
  const isFile = entry.isSymbolicLink() ? kindOf(path) === 'file' : entry.isFile();
  return isFile ? [{ name: entry.name, path, kind: 'file' }] : [];
}

function kindOfStats(stats: Stats): FolderEntry['kind'] {
  return stats.isDirectory() ? 'folder' : 'file';
}

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : 1;
}

function orUnreadable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
