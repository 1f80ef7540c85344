import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemUnderKey, type KeyTrie, withItem } from '../../../src/engine/prune/cleanups.ts';

type HashedKey = Parameters<typeof itemUnderKey>[1];

/** Few hashes, so that keys share them, and such as part at a high bit only. */
const keys: fc.Arbitrary<HashedKey> = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  hash: fc.constantFrom(0, 1, 2, 0x80000000, 0xffffffff),
});
const nameOf = ({ key, hash }: HashedKey) => `${key} ${hash}`;

describe('a trie of keys', () => {
  it('has what a map has, and each older one still has what it had', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.nat()), { minLength: 1 }), keys, (items, other) => {
        const map = new Map<string, number>();
        let trie: KeyTrie<number>;
        const older = items.map(([key, item]) => {
          const [before, known] = [trie, new Map(map)];
          trie = withItem(trie, key, item);
          map.set(nameOf(key), item);
          return { before, known };
        });
        for (const [key] of [...items, [other] as const]) {
          expect(itemUnderKey(trie, key)).toBe(map.get(nameOf(key)));
          for (const { before, known } of older)
            expect(itemUnderKey(before, key)).toBe(known.get(nameOf(key)));
        }
      }),
    );
  });
});
