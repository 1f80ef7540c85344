import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, writeAll, writing } from '../simulator/lib/files.ts';
import { numbered } from '../simulator/session/import.ts';
import { checkOutFolder } from './process/out-folder.ts';

/** A folder to write sessions to. Whatever lies in it stays. */
export interface SessionStore {
  write(path: string, lines: Iterable<string>): StoredSession;
}

interface StoredSession {
  /** With a number where something else had the name. */
  readonly path: string;
  readonly isUnchanged: boolean;
}

const CHUNK_CHARS = 1 << 20;

export function createSessionStore(folder: string): SessionStore {
  checkOutFolder(folder);
  const temporary = join(folder, `.compaction-bench-${process.pid}.tmp`);
  // Some systems take names that differ in case only for one.
  const taken = new Set<string>();
  const findPlace = (wanted: string): StoredSession => {
    for (let number = 1; ; number++) {
      const path = numbered(wanted, number);
      if (taken.has(path.toLowerCase())) continue;
      // Also a link that leads nowhere is there.
      const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (stats === undefined) return { path, isUnchanged: false };
      if (isSame(join(folder, path), temporary)) return { path, isUnchanged: true };
    }
  };
  return {
    write: (path, lines) => {
      const store = () => {
        makeFolder(folder);
        writeLines(temporary, lines);
        const stored = findPlace(path);
        const place = join(folder, stored.path);
        taken.add(stored.path.toLowerCase());
        if (!stored.isUnchanged) {
          makeFolder(dirname(place));
          renameSync(temporary, place);
        }
        return stored;
      };
      try {
        return writing(join(folder, path), store);
      } finally {
        rmSync(temporary, { force: true });
      }
    },
  };
}

function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'w');
  try {
    let chunk = '';
    for (const line of lines) {
      chunk += line;
      if (chunk.length < CHUNK_CHARS) continue;
      writeAll(file, chunk);
      chunk = '';
    }
    writeAll(file, chunk);
  } finally {
    closeSync(file);
  }
}

function isSame(place: string, other: string) {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size !== statSync(other).size) return false;
  return readFileSync(place).equals(readFileSync(other));
}
