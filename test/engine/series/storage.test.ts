import { describe, expect, it } from 'vitest';
import { type Fold, foldOver } from '../../../src/engine/series/fold.ts';
import { rewriteFrom } from '../../../src/engine/series/series.ts';
import {
  readItems,
  rewriteVersion,
  shortenVersion,
  startVersion,
} from '../../../src/engine/series/storage.ts';
import { growAll } from '../../support/grow-all.ts';

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

describe('a storage whose items were replaced and put back', () => {
  it('moves nothing that stands where an old version has it', () => {
    const old = startVersion([...ITEMS]);
    rewriteVersion(old, 10, [-1, -2]);
    rewriteVersion(old, 100, [-3]);
    const newest = rewriteVersion(shortenVersion(old, 60), 60, [-4]);
    expect(newest.storage.rewrites.map(({ from }) => from)).toEqual([10, 10, 60]);
    expect(readItems(newest, 0)).toEqual([...ITEMS.slice(0, 60), -4]);
    expect(readItems(old, 0)).toEqual(ITEMS);
  });

  it('reads of an old version what stood there, from where it gave way and from elsewhere', () => {
    const newest = startVersion([...ITEMS]);
    const old = shortenVersion(newest, 50);
    rewriteVersion(newest, 60, [-1]);
    rewriteVersion(newest, 10, [-2]);
    const read = (from: number) => readItems(old, from);
    const froms = [5, 10, 20, 50, 55, 70, 200];
    expect(froms.map(read)).toEqual(froms.map((from) => ITEMS.slice(from, 50)));
    expect(readItems(newest, 65)).toEqual(ITEMS.slice(65));
  });
});

describe('a fold over both sides of a rewrite', () => {
  it('takes in nothing again for the older side', () => {
    let taken = 0;
    const sum: Fold<number, number> = {
      start: 0,
      add: (total, item) => {
        taken += 1;
        return total + item;
      },
    };
    const older = growAll([], ITEMS);
    const total = foldOver(older, sum);
    foldOver(rewriteFrom(older, 10, [0]), sum);
    taken = 0;
    expect(foldOver(older, sum)).toBe(total);
    expect(foldOver(older, sum)).toBe(total);
    expect(taken).toBe(0);
  });
});
