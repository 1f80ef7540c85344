import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { faultCode, isFault } from './files.ts';

/** Signals by which others end a process, as `timeout` does; the one of the keyboard is heard elsewhere. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const FOLDER = 'compaction-bench-db-';
const MOST_ROUNDS = 20;

/** Does something when the process ends, also by one of these signals, and gives a function that takes this back. */
export function beforeEnd(act: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    act();
    forget();
    process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('exit', act);
    for (const signal of SIGNALS) process.off(signal, end);
  };
  // A reader that stops early, as in `… | head`, ends the process where it stands.
  process.once('exit', act);
  for (const signal of SIGNALS) process.once(signal, end);
  return forget;
}

/** A temporary folder that goes with this process, if nobody removes it before. */
export function makeOwnFolder(): string {
  if (isMainThread) guardOwnFolders();
  return mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
}

/** Removes the folders of this process and its threads when it ends; a signal that comes while it is busy is heard later. */
export function guardOwnFolders(): void {
  if (!process.listeners('exit').includes(removeOwnFolders)) beforeEnd(removeOwnFolders);
}

/** Removes the folders of processes that were killed. */
export function removeLeftFolders(): void {
  removeFolders((id) => !isRunning(id));
}

function removeOwnFolders(): void {
  // Threads that still run may be making one meanwhile.
  for (let round = 0; round < MOST_ROUNDS; round++)
    if (removeFolders((id) => id === process.pid) === 0) break;
}

function removeFolders(isOf: (id: number) => boolean): number {
  const names = namesIn(tmpdir()).filter(
    (name) => name.startsWith(FOLDER) && isOf(Number.parseInt(name.slice(FOLDER.length), 10)),
  );
  for (const name of names) {
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch (error) {
      // That of another user stays.
      if (!isFault(error)) throw error;
    }
  }
  return names.length;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return faultCode(error) === 'EPERM';
  }
}
