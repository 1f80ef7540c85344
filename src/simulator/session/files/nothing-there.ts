import { basename, dirname, join } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { statOf } from '../../lib/files.ts';
import { isMisspelt, nearestNames, quotedLong } from '../../lib/names.ts';
import { parseSessionName } from '../session-name.ts';
import { openFolder } from './folder.ts';

/** The error about a path at which there is nothing, with what there is of nearly that name. */
export function nothingThere(path: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quotedLong(path)} to be a file, folder or pattern, got nothing at that path${hintOf(path)}.`,
  );
}

function hintOf(path: string): string {
  const { path: file, index } = parseSessionName(path);
  if (index !== undefined && statOf(file) !== undefined) {
    return `; ${quotedLong(file)} is there, of whose sessions only 'explain', 'minimize' and 'whatif' take one as path#index`;
  }
  const nearest = nearestPath(path);
  return nearest === undefined ? '' : `; nearest: ${quotedLong(nearest)}`;
}

/** What the path, or the first folder above it that is not there, was most likely to be called. */
function nearestPath(path: string): string | undefined {
  const parent = dirname(path);
  if (statOf(parent) === undefined) return parent === path ? undefined : nearestPath(parent);
  const given = basename(path);
  const alike = namesIn(parent).filter((name) => isMisspelt(given, name));
  const [nearest] = nearestNames(given, alike, 1);
  return nearest === undefined ? undefined : join(parent, nearest);
}

/** Of what may not be looked at nobody knows a name. */
function namesIn(folder: string): readonly string[] {
  const entries = openFolder(folder);
  return 'kind' in entries ? [] : entries.map(({ name }) => name);
}
