import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** What the page of a report is made of; it is read when a page is written, as it stands. */
const PAGE = 'simulator/report/html/page';
const EXECUTABLE = 0o755;

build(resolve(process.argv[2] ?? join(ROOT, 'dist')));

/** Compiles the sources into a folder, which holds nothing else then. */
function build(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  compile(folder);
  cpSync(join(ROOT, 'src', PAGE), join(folder, PAGE), {
    recursive: true,
    filter: (file) => !file.endsWith('.json'),
  });
  chmodSync(join(folder, 'cli/main.js'), EXECUTABLE);
}

function compile(folder: string): void {
  const argv = [COMPILER, '-p', 'tsconfig.build.json', '--outDir', folder];
  execFileSync(process.execPath, argv, { cwd: ROOT, stdio: 'inherit' });
}
