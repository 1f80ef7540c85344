import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HEADER_FILE,
  hasHeader,
  hasRows,
  RESULTS_FILE,
} from '../../simulator/sweep/store/header.ts';
import { checkPlace } from './output.ts';
import { makeTemporary } from './temporary.ts';

/** Throws if something else stands where a folder is to be written, or nothing can be written there. */
export function checkOutFolder(path: string, what = "'--out'"): void {
  checkPlace(path, { what, kind: 'folder' });
}

/** Where a command puts what it finds. */
export interface OutFolder {
  readonly path: string;
  /** Remembers what the command has begun here as its own. */
  readonly hold: () => void;
  /**
   * Removes what the command began here, where no row came of it: it would stand in the way of another sweep. What it did
   * not write stays, and so does what another process has gone on with since.
   */
  readonly takeBack: () => void;
  /** Removes the folder if nobody named it. */
  readonly close: () => void;
}

/** The folder that was named, else one that goes with the command, however that ends but by a signal that nobody hears. */
export function openOutFolder(named: string | undefined): OutFolder {
  return named === undefined ? openOwnFolder() : openNamedFolder(named);
}

function openNamedFolder(path: string): OutFolder {
  const isBegun = hasHeader(path);
  const isNew = !existsSync(path);
  let own: number | undefined;
  const hold = () => {
    own = headerOf(path);
  };
  const takeBack = () => {
    // Those of one sweep can share a folder: another process may have written rows, or the header anew.
    if (isBegun || hasRows(path)) return;
    if (own !== undefined && headerOf(path) !== own) return;
    for (const name of [HEADER_FILE, RESULTS_FILE]) rmSync(join(path, name), { force: true });
    if (isNew) removeIfEmpty(path);
  };
  return { path, hold, takeBack, close: () => undefined };
}

/** Which file the header of a folder is; one that is written anew is another. */
function headerOf(path: string): number | undefined {
  return statSync(join(path, HEADER_FILE), { throwIfNoEntry: false })?.ino;
}

function removeIfEmpty(path: string): void {
  if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
}

function openOwnFolder(): OutFolder {
  const { made, remove } = makeTemporary(
    () => mkdtempSync(join(tmpdir(), 'compaction-bench-')),
    (path) => rmSync(path, { recursive: true, force: true }),
  );
  return { path: made, hold: () => undefined, takeBack: () => undefined, close: remove };
}
