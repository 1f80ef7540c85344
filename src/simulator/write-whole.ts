import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Rights of a file that is new; one that was there keeps its own. */
export interface WriteOptions {
  readonly mode?: number | undefined;
}

/** Puts a text into a file so that nobody ever reads half of it; folders are made, a link is followed. */
export function writeWhole(file: string, text: string, { mode }: WriteOptions = {}): void {
  const there = statSync(file, { throwIfNoEntry: false });
  const place = there ? realpathSync(file) : file;
  mkdirSync(dirname(place), { recursive: true });
  // It lies on the same disk, or it could not be moved in one go.
  const folder = mkdtempSync(join(dirname(place), '.writing-'));
  try {
    const temporary = join(folder, basename(place));
    writeFileSync(temporary, text, { mode: there?.mode ?? mode });
    renameSync(temporary, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
