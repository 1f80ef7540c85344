import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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
  /** Removes what the command began here, where no row came of it: it would stand in the way of another sweep. */
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
  const made = existsSync(path)
    ? [HEADER_FILE, RESULTS_FILE].map((name) => join(path, name))
    : [path];
  const takeBack = () => {
    // Another process may have written rows: those of one sweep can share a folder.
    if (isBegun || hasRows(path)) return;
    for (const one of made) rmSync(one, { recursive: true, force: true });
  };
  return { path, takeBack, close: () => undefined };
}

function openOwnFolder(): OutFolder {
  const { made, remove } = makeTemporary(
    () => mkdtempSync(join(tmpdir(), 'compaction-bench-')),
    (path) => rmSync(path, { recursive: true, force: true }),
  );
  return { path: made, takeBack: () => undefined, close: remove };
}
