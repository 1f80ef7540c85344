import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultCode } from './system-fault.ts';

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
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (isFolder(path)) return;
    const parent = dirname(path);
    if (faultCode(error) !== 'ENOENT' || isFolder(parent)) throw error;
    makeFolder(parent, options);
    makeFolder(path, options);
  }
}

/** Versions of Node differ in what they say of a path below a file: the system is asked when the folder is made. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
