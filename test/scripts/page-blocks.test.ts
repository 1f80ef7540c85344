import { describe, expect, it } from 'vitest';
import { replaceBlock } from '../../scripts/page-blocks.ts';

describe('replaceBlock', () => {
  it('keeps what stands around the block, and twice gives the same', () => {
    const page = 'above\n<!-- cups -->\nold\n<!-- /cups -->\nbelow\n';
    const once = replaceBlock(page, 'cups', 'new\n');
    expect(once).toBe('above\n<!-- cups -->\n\nnew\n\n<!-- /cups -->\nbelow\n');
    expect(replaceBlock(once, 'cups', 'new\n')).toBe(once);
  });

  it.each(['', '<!-- cups -->', '<!-- /cups -->\n<!-- cups -->'])(
    'refuses a page without a place for it: %j',
    (page) => {
      expect(() => replaceBlock(page, 'cups', 'new')).toThrow("Expected '<!-- cups -->' and");
    },
  );
});
