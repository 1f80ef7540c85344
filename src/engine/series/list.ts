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
