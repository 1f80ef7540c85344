import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type HashedKey,
  hashKey,
  itemUnderKey,
  type KeyTrie,
  push,
  type Stack,
  withItem,
} from '../../src/engine/stack.ts';

function stackOf(items: readonly number[]): Stack<number> | undefined {
  return items.reduce<Stack<number> | undefined>(push, undefined);
}

describe('a stack', () => {
  it('is shared by those that grew out of it', () => {
    const shared = stackOf([0, 1, 2]) as Stack<number>;
    const some = push(shared, 3);
    const others = push(shared, 4);
    expect([some.older, others.older]).toEqual([shared, shared]);
    expect([some.item, others.item]).toEqual([3, 4]);
  });
});

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
          for (const { before, known } of older) {
            expect(itemUnderKey(before, key)).toBe(known.get(nameOf(key)));
          }
        }
      }),
    );
  });

  it('finds keys by their text', () => {
    const trie = withItem(withItem(undefined, hashKey('one'), 1), hashKey('two'), 2);
    expect(['one', 'two', 'three'].map((key) => itemUnderKey(trie, hashKey(key)))).toEqual([
      1,
      2,
      undefined,
    ]);
  });
});
