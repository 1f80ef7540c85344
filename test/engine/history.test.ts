import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commonLength,
  endAlike,
  findNewest,
  firstItems,
  type Fold,
  foldOver,
  grow,
  grownItems,
  hasGrown,
  heldList,
  holdList,
  insertAt,
  itemAt,
  itemsFrom,
  type List,
  partingOf,
  rewriteFrom,
  toArray,
} from '../../src/engine/history.ts';
import { growAll } from '../support/grow-all.ts';
import { assertReaching } from '../support/reaching.ts';

/** A change of any version that there was so far. */
interface Change {
  readonly of: number;
  readonly kind: 'grow' | 'growAll' | 'rewrite' | 'insert' | 'first';
  readonly at: number;
  readonly items: readonly number[];
}

const changes = fc.array(
  fc.record<Change>({
    // Mostly the newest version, as a session goes on.
    of: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(20)),
    kind: fc.constantFrom('grow', 'growAll', 'rewrite', 'insert', 'first'),
    at: fc.nat(30),
    items: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
  }),
  { maxLength: 40 },
);

const sum: Fold<number, number> = {
  start: 0,
  add: (total, item, { index }) => total + item * (index + 1),
};
const sumOf = (items: readonly number[]) =>
  items.reduce((total, item, index) => total + item * (index + 1), 0);

function changed(list: List<number>, { kind, at, items }: Change): List<number> {
  const index = Math.min(at, list.length);
  const [first = 0] = items;
  switch (kind) {
    case 'grow':
      return grow(list, first);
    case 'growAll':
      return growAll(list, items);
    case 'rewrite':
      return rewriteFrom(list, index, items);
    case 'insert':
      return insertAt(list, index, first);
    case 'first':
      return firstItems(list, index);
  }
}

function changedPlainly(list: readonly number[], { kind, at, items }: Change): readonly number[] {
  const index = Math.min(at, list.length);
  const [first = 0] = items;
  switch (kind) {
    case 'grow':
      return [...list, first];
    case 'growAll':
      return [...list, ...items];
    case 'rewrite':
      return [...list.slice(0, index), ...items];
    case 'insert':
      return list.toSpliced(index, 0, first);
    case 'first':
      return list.slice(0, index);
  }
}

/** Every version that comes about, beside the same as an array of its own. */
function play(all: readonly Change[]) {
  const pairs = [{ list: grow<number>([], 1) as List<number>, plain: [1] as readonly number[] }];
  for (const change of all) {
    const { list, plain } = pairs.at(-1 - (change.of % pairs.length))!;
    pairs.push({ list: changed(list, change), plain: changedPlainly(plain, change) });
  }
  return pairs;
}

describe('a log', () => {
  it('reads as the array that it stands for, also after others grew out of it', () => {
    fc.assert(
      fc.property(changes, (all) => {
        for (const { list, plain } of play(all)) {
          expect(list.length).toBe(plain.length);
          expect(itemsFrom(list, 1)).toEqual(plain.slice(1));
          expect(itemAt(list, plain.length - 1)).toBe(plain.at(-1));
          expect(findNewest(list, (item) => item > 4)).toBe(
            plain.findLastIndex((item) => item > 4),
          );
          expect(toArray(list)).toEqual(plain);
        }
      }),
    );
  });

  it('folds to what the array folds to, whichever version is asked for', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.nat(40), { maxLength: 20 }), (all, asked) => {
        const pairs = play(all);
        for (const index of [...asked, ...pairs.keys()]) {
          const { list, plain } = pairs[index % pairs.length]!;
          expect(foldOver(list, sum)).toBe(sumOf(plain));
        }
      }),
    );
  });

  it('folds to what the array folds to while others grow out of it', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const pairs = [
          { list: grow<number>([], 1) as List<number>, plain: [1] as readonly number[] },
        ];
        for (const change of all) {
          const { list, plain } = pairs.at(-1 - (change.of % pairs.length))!;
          expect(foldOver(list, sum)).toBe(sumOf(plain));
          const next = { list: changed(list, change), plain: changedPlainly(plain, change) };
          expect(foldOver(next.list, sum)).toBe(sumOf(next.plain));
          pairs.push(next);
        }
      }),
    );
  });

  it('folds a long array as far as it stands after it was cut and rewritten', () => {
    const plain = Array.from({ length: 200 }, (_, index) => index + 1);
    let list = growAll<number>([], plain);
    for (const from of [190, 130, 128, 70, 64, 10]) {
      const older = list;
      const rewritten = rewriteFrom(list, from, [...itemsFrom(list, from).toReversed(), from]);
      for (const one of [older, rewritten, firstItems(older, from), firstItems(rewritten, 100)])
        expect(foldOver(one, sum)).toBe(sumOf(toArray(one)));
      list = rewritten;
    }
  });

  it('takes each item into a fold once, also where older versions of it are asked for', () => {
    let taken = 0;
    const counting: Fold<number, number> = {
      start: 0,
      add: (total, item) => {
        taken += 1;
        return total + item;
      },
    };
    let list: List<number> = [0];
    for (let round = 1; round <= 200; round++) {
      const older: List<number> = growAll(list, [1, 1]);
      list = rewriteFrom(older, older.length - 1, [2]);
      expect(foldOver(older, counting)).toBe(3 * round - 1);
    }
    // What stands behind the newest checkpoint is taken in again.
    expect(taken).toBeLessThan(200 * 64);
  });

  it('shares as many items with another one as the arrays do', () => {
    fc.assert(
      fc.property(changes, fc.nat(), fc.nat(), (all, one, other) => {
        const pairs = play(all);
        const [first, second] = [pairs[one % pairs.length]!, pairs[other % pairs.length]!];
        const end = Math.min(first.plain.length, second.plain.length);
        const differing = first.plain.findIndex(
          (item, index) => index >= end || item !== second.plain[index],
        );
        const expected = differing < 0 ? end : differing;
        expect(commonLength(first.list, second.list)).toBe(expected);
        expect(commonLength(first.plain, second.list)).toBe(expected);
        expect(partingOf(first.list, second.list)).toEqual({
          from: expected,
          before: first.plain.slice(expected),
          after: second.plain.slice(expected),
        });
      }),
    );
  });

  it('is known to have grown only out of what it starts with', () => {
    let grownOnes = 0;
    assertReaching(
      fc.property(changes, fc.nat(), fc.nat(), (all, one, other) => {
        const pairs = play(all);
        const [first, second] = [pairs[one % pairs.length]!, pairs[other % pairs.length]!];
        const grown = grownItems(first.list, second.list);
        const start = grown.length > 0 ? second.plain : first.plain;
        grownOnes += Number(grown.length > 0);
        expect([...start, ...grown]).toEqual(first.plain);
        expect(grownItems(first.list, second.plain)).toEqual([]);
        expect(hasGrown(first.list, second.list)).toBe(grown.length > 0);
      }),
    );
    expect(grownOnes).toBeGreaterThan(0);
  });

  it('is not known to have grown out of nothing', () => {
    const list = growAll([], ['a', 'b']);
    expect(grownItems(list, firstItems(list, 0))).toEqual([]);
    expect(grownItems(list, firstItems(list, 1))).toEqual(['b']);
  });

  it('ends with what the array ends with', () => {
    fc.assert(
      fc.property(
        changes,
        fc.nat(12),
        fc.array(fc.nat(9), { maxLength: 2 }),
        (all, count, more) => {
          for (const { list, plain } of play(all)) {
            const end = plain.slice(Math.max(0, plain.length - count));
            expect(endAlike(list, end, end.length)).toBe(true);
            const other = [...end, ...more];
            const isEnd = plain.slice(-other.length).join() === other.join();
            expect(endAlike(list, other, other.length)).toBe(other.length === 0 || isEnd);
          }
        },
      ),
    );
  });

  it('stays what it was while a thousand others are made of it', () => {
    const list = growAll([], [1, 2, 3]);
    const others = Array.from({ length: 1_000 }, (_, index) => rewriteFrom(list, 1, [index]));
    expect(toArray(list)).toEqual([1, 2, 3]);
    expect(others.map(toArray)).toEqual(others.map((_, index) => [1, index]));
    expect(foldOver(list, sum)).toBe(sumOf([1, 2, 3]));
  });

  it('is one array for all who ask, which nothing that grows out of it changes', () => {
    const list = growAll([1], [2, 3]);
    const array = toArray(list);
    expect(toArray(grow(list, 4))).toEqual([1, 2, 3, 4]);
    expect(toArray(list)).toBe(array);
    expect(array).toStrictEqual([1, 2, 3]);
  });

  it('leaves the array alone that it was made of', () => {
    const array = Object.freeze([1, 2]);
    expect(toArray(grow(array, 3))).toEqual([1, 2, 3]);
    expect(toArray(rewriteFrom(array, 1, [3]))).toEqual([1, 3]);
  });
});

describe('holdList', () => {
  const held = { name: 'a' };
  holdList(held, 'items', growAll([], [1, 2]));

  it('shows a list as an array', () => {
    expect(held).toStrictEqual({ name: 'a', items: [1, 2] });
    expect(heldList(held)).toMatchObject({ length: 2 });
  });

  it.each<[string, (object: object) => object]>([
    ['a copy', (object) => ({ ...object })],
    ['a structured clone', (object) => structuredClone(object)],
    ['JSON', (object) => JSON.parse(JSON.stringify(object)) as object],
  ])('leaves the array alone to %s', (_, copy) => {
    const other = copy(held);
    expect(other).toStrictEqual({ name: 'a', items: [1, 2] });
    expect(heldList(other)).toBeUndefined();
  });
});
