import { versionOf } from './frozen-array.ts';
import { itemAt, lengthOf } from './series.ts';
import { readItem, readItems } from './storage.ts';

const NONE: readonly never[] = [];

/** What an array has behind the items of another one that it is known to have grown out of; nothing where it is not, or out of nothing. */
export function grownItems<Item>(list: readonly Item[], start: readonly Item[]): readonly Item[] {
  const version = versionOf(list);
  const older = versionOf(start);
  if (version === undefined || older === undefined || older.length === 0) return NONE;
  if (version.storage !== older.storage || version.rewrites !== older.rewrites) return NONE;
  const { length } = older;
  if (version.length <= length) return NONE;
  return version.length === length + 1 ? [readItem(version, length)] : readItems(version, length);
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
