import { describe, expect, it } from 'vitest';
import { hashUnits } from '../../src/engine/fnv.ts';

describe('hashUnits', () => {
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of %j is the published value of FNV-1a', (text, hash) => {
    expect(hashUnits(text) >>> 0).toBe(hash);
    expect(hashUnits(`<${text}>`, 1, text.length + 1) >>> 0).toBe(hash);
  });
});
