import { statSync } from 'node:fs';
import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';

/** Throws if something else stands where a folder is to be written. */
export function checkOutFolder(path: string): void {
  const stats = path === '' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path !== '' && (stats?.isDirectory() ?? true)) return;
  const got = path === '' ? 'nothing' : `${quoted(path)}, which is none`;
  throw new HarnessError('BAD_OPTION', `Expected '--out' to be a folder, got ${got}.`);
}
