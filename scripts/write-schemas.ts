import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { schemaFiles } from './schemas.ts';

const ROOT = resolve(import.meta.dirname, '..');

for (const [path, text] of schemaFiles) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(path);
}
