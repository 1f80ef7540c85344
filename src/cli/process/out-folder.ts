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

/** Signals by which others end a process, as `timeout` does; the one of the keyboard is heard elsewhere. */
const ENDINGS = ['SIGTERM', 'SIGHUP'] as const;

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
  const path = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const removeAndEnd = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  // A reader that stops early, as in `… | head`, ends the process where it stands.
  process.once('exit', remove);
  for (const signal of ENDINGS) process.once(signal, removeAndEnd);
  const close = () => {
    process.off('exit', remove);
    for (const signal of ENDINGS) process.off(signal, removeAndEnd);
    remove();
  };
  return { path, takeBack: () => undefined, close };
}
