import { toSeries, versionOf } from './frozen-array.ts';
import {
  growVersion,
  growVersionByOne,
  readItem,
  readItems,
  rewriteVersion,
  shortenVersion,
  standingLength,
  startVersion,
  type Version,
} from './storage.ts';

/**
 * Arrays that share their storage with those that they grew out of, so that one more item costs the same
 * however many there are. Whoever looks at one sees a frozen array; it is written out only if somebody looks
 * at more than its length and single items. All functions here take any array.
 */

/** An array with one more item. */
export function grow<Item>(list: readonly Item[], item: Item): readonly Item[] {
  return toSeries(growVersionByOne(versionOf(list) ?? startVersion([...list]), item));
}

/** An array with more items. */
export function growAll<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  return toSeries(growVersion(versionOf(list) ?? startVersion([...list]), items));
}

/** An array in which other items stand from an index on. */
export function rewriteFrom<Item>(
  list: readonly Item[],
  from: number,
  items: readonly Item[],
): readonly Item[] {
  return toSeries(rewriteVersion(versionOf(list) ?? startVersion([...list]), from, items));
}

/** An array with an item put in at an index. */
export function insertAt<Item>(list: readonly Item[], index: number, item: Item): readonly Item[] {
  const version = versionOf(list) ?? startVersion([...list]);
  return toSeries(
    index >= version.length
      ? growVersionByOne(version, item)
      : rewriteVersion(version, index, [item, ...readItems(version, index)]),
  );
}

/** The first items of an array. */
export function firstItems<Item>(list: readonly Item[], length: number): readonly Item[] {
  const version = versionOf(list);
  return version === undefined ? list.slice(0, length) : toSeries(shortenVersion(version, length));
}

/** The items of an array from an index on, as an array of their own. */
export function itemsFrom<Item>(list: readonly Item[], from: number): readonly Item[] {
  const version = versionOf(list);
  return version === undefined ? list.slice(from) : readItems(version, from);
}

/** The item at an index. */
export function itemAt<Item>(list: readonly Item[], index: number): Item | undefined {
  const version = versionOf(list);
  if (version === undefined) return list[index];
  return index >= 0 && index < version.length ? readItem(version, index) : undefined;
}

/** The index of the newest item that passes a test; -1 where none does. */
export function findNewest<Item>(
  list: readonly Item[],
  test: (item: Item, index: number) => boolean,
): number {
  const version = versionOf(list);
  if (version === undefined) return list.findLastIndex(test);
  for (let index = version.length - 1; index >= 0; index--) {
    if (test(readItem(version, index), index)) return index;
  }
  return -1;
}

/** How many items two arrays begin with alike; known at once where one grew out of the other. */
export function commonLength<Item>(one: readonly Item[], other: readonly Item[]): number {
  const first = versionOf(one);
  const second = versionOf(other);
  const end = Math.min((first ?? one).length, (second ?? other).length);
  if (one === other) return end;
  let length = first && second ? sharedLength(first, second) : 0;
  while (length < end && readAt(one, first, length) === readAt(other, second, length)) length++;
  return length;
}

/** Whether an array begins with all items of another one; known at once where it grew out of that. */
export function startsWith<Item>(list: readonly Item[], start: readonly Item[]): boolean {
  return commonLength(list, start) === start.length;
}

/** Whether an array ends with these items. */
export function endsWith<Item>(list: readonly Item[], items: readonly Item[]): boolean {
  const version = versionOf(list);
  const start = (version ?? list).length - items.length;
  return start >= 0 && items.every((item, index) => item === readAt(list, version, start + index));
}

/** The item at an index below the length of an array, and of its version where it has one. */
function readAt<Item>(
  list: readonly Item[],
  version: Version<Item> | undefined,
  index: number,
): Item | undefined {
  return version === undefined ? list[index] : readItem(version, index);
}

/** At least so many items are alike by descent. */
function sharedLength<Item>(one: Version<Item>, other: Version<Item>): number {
  if (one.storage !== other.storage) return 0;
  return one.rewrites === other.rewrites
    ? Math.min(one.length, other.length)
    : Math.min(standingLength(one), standingLength(other));
}

/** Whether an array shares its storage with those that it grew out of. */
export function isSeries(list: readonly unknown[]): boolean {
  return versionOf(list) !== undefined;
}
