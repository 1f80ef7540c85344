import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';

/** Throws if something else stands where a folder is to be written. */
export function checkOutFolder(path: string): void {
  const stats = path === '' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path !== '' && (stats?.isDirectory() ?? true)) return;
  const got = path === '' ? 'nothing' : `${quoted(path)}, which is none`;
  throw new HarnessError('BAD_OPTION', `Expected '--out' to be a folder, got ${got}.`);
}

/** Where a command puts what it finds. */
export interface OutFolder {
  readonly path: string;
  /** Removes the folder if nobody named it. */
  readonly close: () => void;
}

/** The folder that was named, else one that goes with the command, however that ends. */
export function openOutFolder(named: string | undefined): OutFolder {
  if (named !== undefined) return { path: named, close: () => undefined };
  const path = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  // A reader that stops early, as in `… | head`, ends the process where it stands.
  process.once('exit', remove);
  const close = () => {
    process.off('exit', remove);
    remove();
  };
  return { path, close };
}
