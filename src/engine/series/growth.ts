import { versionOf } from './frozen-array.ts';
import { itemAt, lengthOf } from './series.ts';
import { readItem, readItems, type Version } from './storage.ts';

const NONE: readonly never[] = [];

/** What an array has behind the items of another one that it is known to have grown out of; nothing where it is not, or out of nothing. */
export function grownItems<Item>(list: readonly Item[], start: readonly Item[]): readonly Item[] {
  const version = versionOf(list);
  const older = versionOf(start);
  if (version === undefined || older === undefined || !isGrown(version, older)) return NONE;
  const { length } = older;
  return version.length === length + 1 ? [readItem(version, length)] : readItems(version, length);
}

/** Whether an array is known to have grown out of another one, and not out of nothing. */
export function hasGrown(list: readonly unknown[], start: readonly unknown[]): boolean {
  const version = versionOf(list);
  const older = versionOf(start);
  return version !== undefined && older !== undefined && isGrown(version, older);
}

/** Whether two arrays end with as many of the same items. */
export function endAlike(
  one: readonly unknown[],
  other: readonly unknown[],
  items: number,
): boolean {
  if (one === other) return true;
  const start = lengthOf(one) - items;
  const otherStart = lengthOf(other) - items;
  if (start < 0 || otherStart < 0) return false;
  for (let index = 0; index < items; index++) {
    if (itemAt(one, start + index) !== itemAt(other, otherStart + index)) return false;
  }
  return true;
}

function isGrown(version: Version<unknown>, older: Version<unknown>): boolean {
  if (version.storage !== older.storage || version.rewrites !== older.rewrites) return false;
  return older.length > 0 && version.length > older.length;
}
