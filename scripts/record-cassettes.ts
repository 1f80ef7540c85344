import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordSuite } from './cassettes/suite.ts';

const FOLDER = resolve(import.meta.dirname, '../cassettes/loopback');

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  rmSync(join(FOLDER, file));
}
await recordSuite(FOLDER);
console.log(`recorded: ${readdirSync(FOLDER).length} calls`);
