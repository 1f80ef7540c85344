import { grow, type List } from '../../src/engine/history.ts';

/** A list that grew by these items, one after another. */
export function growAll<Item>(list: List<Item>, items: readonly Item[]): List<Item> {
  return items.reduce<List<Item>>((grown, item) => grow(grown, item), list);
}
