import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGallery, renderGallery, replaceGallery } from '../../scripts/gallery/gallery.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/scenarios.md'), 'utf8');

describe('the gallery of docs/scenarios.md', () => {
  it('is what the scenarios give; `npm run gallery` mends it', async () => {
    expect(page).toBe(replaceGallery(page, await renderGallery()));
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

describe('replaceGallery', () => {
  const sample = 'above\n<!-- gallery -->\nold\n<!-- /gallery -->\nbelow\n';

  it('keeps what stands around it, and twice gives the same', () => {
    const once = replaceGallery(sample, 'new\n');
    expect(once).toBe('above\n<!-- gallery -->\n\nnew\n\n<!-- /gallery -->\nbelow\n');
    expect(replaceGallery(once, 'new\n')).toBe(once);
  });

  it.each(['', '<!-- gallery -->', '<!-- /gallery -->\n<!-- gallery -->'])(
    'refuses a page without a place for it: %j',
    (text) => {
      expect(hasGallery(text)).toBe(false);
      expect(() => replaceGallery(text, 'new')).toThrow("Expected '<!-- gallery -->' and");
    },
  );
});
