import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { captureFirstRun } from './capture/capture.ts';

const PICTURE = resolve(import.meta.dirname, '../docs/images/run.svg');

mkdirSync(dirname(PICTURE), { recursive: true });
writeFileSync(PICTURE, await captureFirstRun());
console.log('written: docs/images/run.svg');
