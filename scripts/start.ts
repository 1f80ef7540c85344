import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { FIRST_RUN, FIRST_RUN_COMMAND } from './first-run.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'dist/cli/main.js');
const REPORT = 'reports/first-run.md';

console.log(`$ ${FIRST_RUN_COMMAND}\n`);
runBench(FIRST_RUN);
console.log('\nThe same as a file, with the totals of every metric:');
runBench([...FIRST_RUN, '--out', REPORT]);

function runBench(argv: readonly string[]): void {
  execFileSync(process.execPath, [ENTRY, ...argv], { cwd: ROOT, stdio: 'inherit' });
}
