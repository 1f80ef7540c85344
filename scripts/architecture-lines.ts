import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSourceLines, replaceSourceLines } from './architecture/source-lines.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = resolve(ROOT, 'ARCHITECTURE.md');

const lines = readSourceLines(resolve(ROOT, 'src'));
writeFileSync(PAGE, replaceSourceLines(readFileSync(PAGE, 'utf8'), lines));
console.log(`written: ARCHITECTURE.md, ${lines.length} files`);
