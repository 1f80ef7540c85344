import { versionOf } from './frozen-array.ts';
import { readItem } from './storage.ts';

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
  const version = versionOf(list);
  if (version === undefined) return list[list.length - 1 - others];
  const index = version.length - 1 - others;
  return index >= 0 ? readItem(version, index) : undefined;
}

/** Whether the newest items of two arrays are the same ones; either has as many at least. */
export function endAlike(
  one: readonly unknown[],
  other: readonly unknown[],
  items: number,
): boolean {
  if (one === other) return true;
  for (let others = 0; others < items; others++) {
    if (itemBefore(one, others) !== itemBefore(other, others)) return false;
  }
  return true;
}
