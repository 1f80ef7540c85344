import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { drawSession } from './picture/session-picture.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/images/run.svg'), await drawSession());
console.log('written: docs/images/run.svg');
