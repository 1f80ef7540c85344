import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SHIPPED = ['package.json', 'catalog', 'scenarios', 'workloads'];
const BUILD = join(ROOT, 'scripts/build.ts');

/** Builds the package into a folder, with what it is shipped with; gives the folder of the program. */
export function buildInto(folder: string): string {
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, ['--import', 'tsx', BUILD, dist], { cwd: ROOT });
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return dist;
}
