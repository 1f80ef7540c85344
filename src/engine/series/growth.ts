import { versionOf } from './frozen-array.ts';
import { itemAt, lengthOf } from './series.ts';

/** How many items an array has behind those of another one that it is known to have grown out of; 0 where it is not, or out of nothing. */
export function countGrown(list: readonly unknown[], start: readonly unknown[]): number {
  const version = versionOf(list);
  const older = versionOf(start);
  if (version === undefined || older === undefined || older.length === 0) return 0;
  if (version.storage !== older.storage || version.rewrites !== older.rewrites) return 0;
  return Math.max(0, version.length - older.length);
}

/** The item of an array behind which so many others stand. */
export function itemBefore<Item>(list: readonly Item[], others: number): Item | undefined {
  return itemAt(list, lengthOf(list) - 1 - others);
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
