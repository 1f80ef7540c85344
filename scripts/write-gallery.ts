import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderGallery } from './gallery/gallery.ts';
import { replaceBlock } from './page-blocks.ts';

const PAGE = resolve(import.meta.dirname, '../docs/scenarios.md');

writeFileSync(PAGE, replaceBlock(readFileSync(PAGE, 'utf8'), 'gallery', await renderGallery()));
console.log('written: docs/scenarios.md');
