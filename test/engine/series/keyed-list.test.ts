import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUnder,
  countUnder,
  itemUnder,
  type KeyedList,
  newestUnder,
} from '../../../src/engine/series/keyed-list.ts';

interface Item {
  readonly key: string;
  readonly value: number;
}

/** Items that are put behind any of the lists that there were so far. */
const additions = fc.array(
  fc.record({ of: fc.nat(9), key: fc.constantFrom('a', 'b', 'constructor'), value: fc.nat(99) }),
  { maxLength: 40 },
);

describe('a keyed list', () => {
  it('finds the newest item under a key, whatever other lists grew out of the same one', () => {
    fc.assert(
      fc.property(additions, (all) => {
        const pairs = [{ list: undefined as KeyedList<Item>, plain: [] as readonly Item[] }];
        for (const { of, ...item } of all) {
          const { list, plain } = pairs.at(-1 - (of % pairs.length))!;
          pairs.push({ list: addUnder(list, item.key, item), plain: [...plain, item] });
        }
        for (const { list, plain } of pairs) {
          expect(countUnder(list)).toBe(plain.length);
          for (const key of ['a', 'b', 'constructor', '__proto__']) {
            const place = plain.findLastIndex((item) => item.key === key);
            const isUnder = (item: Item) => item.key === key;
            expect(newestUnder(list, key, isUnder)).toBe(place);
            expect(itemUnder(list, place)).toBe(plain[place]);
          }
        }
      }),
    );
  });

  it('looks at no item under another key', () => {
    let list: KeyedList<Item>;
    for (let value = 0; value < 1_000; value++) {
      list = addUnder(list, `key-${value}`, { key: `key-${value}`, value });
    }
    let looks = 0;
    const place = newestUnder(list, 'key-7', () => {
      looks += 1;
      return true;
    });
    expect({ place, looks }).toEqual({ place: 7, looks: 1 });
  });
});
