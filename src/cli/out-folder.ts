import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError, messageOf } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import { nearestParent, statOf } from './output.ts';

/** Throws if something else stands where a folder is to be written, or nothing can be written there. */
export function checkOutFolder(path: string): void {
  if (path === '') throw badOut('nothing');
  const stats = statOf(path);
  if (stats && !stats.isDirectory()) throw badOut(`${quoted(path)}, which is none`);
  const place = stats ? path : nearestParent(path);
  if (!statOf(place)?.isDirectory()) throw badOut(`${quoted(path)} below a file`);
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    throw badOut(`${quoted(path)}: ${quoted(messageOf(error))}`, error);
  }
}

function badOut(got: string, cause?: unknown): HarnessError {
  const message = `Expected '--out' to be a folder that can be written, got ${got}.`;
  return new HarnessError('BAD_OPTION', message, { cause });
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
