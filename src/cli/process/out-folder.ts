import { HEADER_FILE, RESULTS_FILE } from '../../simulator/sweep-files.ts';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoted } from '../../simulator/names.ts';
import { hasHeader, hasRows } from '../../simulator/sweep-files.ts';
import { badOut, checkPlace } from './output.ts';
import { makeTemporary } from './temporary.ts';

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

/** Endings of the files that commands write: whoever names a new folder so means a file. */
const FILE_ENDINGS = /\.(?:csv|html|json|jsonl|md|parquet|svg|txt|xml|yaml|yml)$/i;

/**
 * Throws if something else stands where a folder is to be written, or nothing can be written there, or a folder that is
 * not there yet is named like a file.
 */
export function checkOutFolder(path: string, what = "'--out'"): void {
  const wanted = { what, kind: 'folder' } as const;
  checkPlace(path, wanted);
  if (!FILE_ENDINGS.test(path) || existsSync(path)) return;
  throw badOut(wanted, `${quoted(path)}, which is named like a file`);
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
