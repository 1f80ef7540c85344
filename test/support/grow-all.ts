import { grow } from '../../src/engine/series/series.ts';

/** An array that grew by these items, one after another. */
export function growAll<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  return items.reduce((grown, item) => grow(grown, item), list);
}
