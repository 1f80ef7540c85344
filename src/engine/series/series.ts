import { toSeries, versionOf } from './frozen-array.ts';
import {
  growVersion,
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

/** Two arrays from where they part. */
export interface Parting<Item> {
  /** How many items they begin with alike. */
  readonly from: number;
  /** The rest of the first one. */
  readonly before: readonly Item[];
  /** The rest of the second one. */
  readonly after: readonly Item[];
}

/** An array with its version, where it has one. */
interface Known<Item> {
  readonly list: readonly Item[];
  readonly version: Version<Item> | undefined;
}

const NONE: readonly never[] = [];

/** An array with one more item. */
export function grow<Item>(list: readonly Item[], item: Item): readonly Item[] {
  return toSeries(growVersion(versionOf(list) ?? startVersion([...list]), item));
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
      ? growVersion(version, item)
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

/** How many items an array has. */
export function lengthOf(list: readonly unknown[]): number {
  const version = versionOf(list);
  return version === undefined ? list.length : version.length;
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
  return alikeLength(
    { list: one, version: versionOf(one) },
    { list: other, version: versionOf(other) },
  );
}

/** Where two arrays part, and what either holds from there on. */
export function partingOf<Item>(one: readonly Item[], other: readonly Item[]): Parting<Item> {
  const first = { list: one, version: versionOf(one) };
  const second = { list: other, version: versionOf(other) };
  const from = alikeLength(first, second);
  return { from, before: restOf(first, from), after: restOf(second, from) };
}

/** Whether an array begins with all items of another one; known at once where it grew out of that. */
export function startsWith<Item>(list: readonly Item[], start: readonly Item[]): boolean {
  const first = { list: start, version: versionOf(start) };
  return alikeLength({ list, version: versionOf(list) }, first) === countOf(first);
}

function countOf({ list, version }: Known<unknown>): number {
  return version === undefined ? list.length : version.length;
}

function readAt<Item>({ list, version }: Known<Item>, index: number): Item | undefined {
  return version === undefined ? list[index] : readItem(version, index);
}

function restOf<Item>(known: Known<Item>, from: number): readonly Item[] {
  if (from >= countOf(known)) return NONE;
  return known.version === undefined ? known.list.slice(from) : readItems(known.version, from);
}

function alikeLength<Item>(one: Known<Item>, other: Known<Item>): number {
  const end = Math.min(countOf(one), countOf(other));
  if (one.list === other.list) return end;
  let length = one.version && other.version ? sharedLength(one.version, other.version) : 0;
  while (length < end && readAt(one, length) === readAt(other, length)) length++;
  return length;
}

/** At least so many items are alike by descent. */
function sharedLength<Item>(one: Version<Item>, other: Version<Item>): number {
  if (one.storage !== other.storage) return 0;
  return one.rewrites === other.rewrites
    ? Math.min(one.length, other.length)
    : Math.min(standingLength(one), standingLength(other));
}
