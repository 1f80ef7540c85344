import { growVersionByOne, readItem, startVersion, type Version } from './storage.ts';

/**
 * A list that shares its storage with those that it grew out of, for values that nobody outside looks at;
 * nothing stands for the empty one.
 */
export type List<Item> = Version<Item> | undefined;

/** A list with one more item. */
export function addTo<Item>(list: List<Item>, item: Item): List<Item> {
  return list === undefined ? startVersion([item]) : growVersionByOne(list, item);
}

/** How many items a list has. */
export function countOf(list: List<unknown>): number {
  return list === undefined ? 0 : list.length;
}

/** The item of a list at an index. */
export function itemOf<Item>(list: List<Item>, index: number): Item | undefined {
  if (list === undefined || index < 0 || index >= list.length) return undefined;
  return readItem(list, index);
}

/** How many of the first items of a list pass a test that none passes after one that does not. */
export function countFirst<Item>(
  list: List<Item>,
  length: number,
  test: (item: Item) => boolean,
): number {
  if (list === undefined || length === 0) return 0;
  if (test(readItem(list, length - 1))) return length;
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(readItem(list, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
