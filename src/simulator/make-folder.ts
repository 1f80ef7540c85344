import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** How folders are made. */
export interface FolderOptions {
  /** Rights of those that are new. */
  readonly mode?: number | undefined;
}

/**
 * Makes a folder and what lacks above it, one level at a time. Throws what the system throws: `mkdirSync` with
 * `recursive` never ends where that finds nothing though the folder above is there, as below `/proc`.
 */
export function makeFolder(path: string, options: FolderOptions = {}): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, options);
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
