import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { filesBelow } from './tools/search.ts';
import type { Workspace } from './workspace.ts';

/** The state of a folder's files. */
export interface Snapshot {
  readonly hash: string;
  /** Hash of each file's content, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** The state of the workspace's own files, without hidden ones and installed packages. */
export function takeSnapshot(workspace: Workspace): Snapshot {
  const files = Object.fromEntries(
    filesBelow(workspace.root).map((path) => [
      relative(workspace.root, path),
      hashOf(readFileSync(path)),
    ]),
  );
  return { hash: hashOf(JSON.stringify(files)), files };
}

/** Paths of the files that were added, changed or deleted. */
export function changedFiles(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [...paths].filter((path) => before.files[path] !== after.files[path]).toSorted();
}

function hashOf(content: string | Buffer): string {
  return createHash('sha1').update(content).digest('hex');
}
