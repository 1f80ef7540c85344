import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SHIPPED = ['package.json', 'catalog', 'scenarios', 'workloads'];
const BUILD = join(ROOT, 'scripts/build.ts');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Builds the package into a folder, with what it is shipped with; gives the folder of the compiled sources. */
export function buildInto(folder: string): string {
  execFileSync(process.execPath, ['--import', 'tsx', BUILD, join(folder, 'dist')], { cwd: ROOT });
  const modules = join(folder, 'modules');
  // The bundled program has no file for each source.
  const argv = [COMPILER, '-p', 'tsconfig.bench.json', '--outDir', modules];
  execFileSync(process.execPath, argv, { cwd: ROOT });
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return modules;
}
