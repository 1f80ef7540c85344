import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { SessionScript } from './script.ts';
import { createScrubber, type Scrubber } from './scrub.ts';

/** A scratch folder in which the tools of one recording run. */
export interface Workspace {
  readonly root: string;
  readonly scrub: Scrubber;
}

const REPOSITORY_ROOT = realpathSync(resolve(import.meta.dirname, '../..'));
const COMMANDS = ['tsc', 'vitest'];

/** A fresh scratch folder with the files of the script and links to its packages. */
export function createWorkspace(script: SessionScript): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'recording-')));
  for (const [path, content] of Object.entries(script.files)) writeFile(join(root, path), content);
  const packages = new Set(['typescript', 'vitest', ...script.packages]);
  for (const name of packages) linkModule(root, name);
  for (const name of COMMANDS) linkModule(root, `.bin/${name}`);
  return { root, scrub: createScrubber({ repositoryRoot: REPOSITORY_ROOT, scratchRoot: root }) };
}

/** Deletes the scratch folder; what it links to stays. */
export function removeWorkspace(workspace: Workspace): void {
  rmSync(workspace.root, { recursive: true, force: true });
}

/** Writes a file together with the folders that it needs. */
export function writeFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

// `node_modules` is a real folder of links: what vite caches in it stays in the scratch folder.
function linkModule(root: string, name: string): void {
  const link = join(root, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(REPOSITORY_ROOT, 'node_modules', name)), link);
}
