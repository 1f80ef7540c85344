import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backThrough,
  backTo,
  type HashedKey,
  hashKey,
  itemUnderKey,
  type KeyTrie,
  push,
  type Stack,
  withItem,
} from '../../src/engine/stack.ts';

const MANY = 1_000;

function stackOf(items: readonly number[]): Stack<number> | undefined {
  return items.reduce<Stack<number> | undefined>(push, undefined);
}

describe('a stack', () => {
  it('goes back to the newest item that passes a test which all older ones pass', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: -1, max: 200 }), (length, newest) => {
        const stack = stackOf(Array.from({ length }, (_, index) => index));
        const expected = newest < 0 || length === 0 ? undefined : Math.min(newest, length - 1);
        expect(backTo(stack, (item) => item <= newest)?.item).toBe(expected);
      }),
    );
  });

  it('goes back to the oldest item that passes a test which all newer ones pass', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(200), (length, oldest) => {
        const stack = stackOf(Array.from({ length }, (_, index) => index)) as Stack<number>;
        const expected = Math.min(oldest, length - 1);
        expect(backThrough(stack, (item) => item >= expected).item).toBe(expected);
      }),
    );
  });

  it('is shared by those that grew out of it', () => {
    const shared = stackOf([0, 1, 2]) as Stack<number>;
    const some = push(shared, 3);
    const others = push(shared, 4);
    expect([some.older, others.older]).toEqual([shared, shared]);
    expect([some.item, others.item, some.length]).toEqual([3, 4, 4]);
  });

  it('looks at few of many items', () => {
    const stack = stackOf(Array.from({ length: MANY }, (_, index) => index)) as Stack<number>;
    let looks = 0;
    const isOld = (item: number) => {
      looks += 1;
      return item <= 3;
    };
    expect(backTo(stack, isOld)?.item).toBe(3);
    expect(backThrough(stack, (item) => !isOld(item)).item).toBe(4);
    expect(looks).toBeLessThan(MANY / 10);
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
