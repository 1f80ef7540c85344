import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SHIPPED = ['package.json', 'catalog', 'scenarios', 'workloads'];
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Builds the package into a folder, with what it is shipped with; gives the folder of the program. */
export function buildInto(folder: string): string {
  const dist = join(folder, 'dist');
  const argv = [COMPILER, '-p', 'tsconfig.build.json', '--declaration', 'false'];
  execFileSync(process.execPath, [...argv, '--outDir', dist], { cwd: ROOT });
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return dist;
}
