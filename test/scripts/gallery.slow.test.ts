import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderGallery } from '../../scripts/gallery/gallery.ts';
import { replaceBlock } from '../../scripts/page-blocks.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/scenarios.md'), 'utf8');

describe('the gallery of docs/scenarios.md', () => {
  it('is what the scenarios give; `npm run gallery` mends it', async () => {
    expect(page).toBe(replaceBlock(page, 'gallery', await renderGallery()));
  });
});

describe('renderGallery', () => {
  it('has the reason, the source and the saw-tooth of three scenarios', async () => {
    const gallery = await renderGallery();
    expect(
      gallery.match(/^\[`[\w-]+`\]\(\.\.\/scenarios\/[\w-]+\.yaml\): .+ Reported in \[.+\)\.$/gm),
    ).toHaveLength(3);
    expect(
      gallery.match(/^```text\n.+, [\w.-]+, \w+\n(?:.+\n)+ +0 └─+\n(?:.+\n)+```$/gm),
    ).toHaveLength(3);
  });

  it('has the same bytes each time', async () => {
    expect(await renderGallery()).toBe(await renderGallery());
  });
});
