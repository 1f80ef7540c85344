import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderGallery, replaceGallery } from './gallery/gallery.ts';

const PAGE = resolve(import.meta.dirname, '../docs/scenarios.md');

writeFileSync(PAGE, replaceGallery(readFileSync(PAGE, 'utf8'), await renderGallery()));
console.log('written: docs/scenarios.md');
