import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'dist/cli/main.js');

execFileSync(process.execPath, [ENTRY, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
