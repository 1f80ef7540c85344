import { addTo, countOf, itemOf, type List } from './list.ts';

/** A list whose items are found by a key; nothing stands for the empty one. */
export type KeyedList<Item> = Keyed<Item> | undefined;

interface Keyed<Item> {
  readonly list: List<Item>;
  /** Where items of a key were ever put, by lists that grew out of one another; whoever looks there checks the item. */
  readonly places: Map<string, readonly number[]>;
}

/** A list with one more item. */
export function addUnder<Item>(keyed: KeyedList<Item>, key: string, item: Item): KeyedList<Item> {
  const { list, places } = keyed ?? {
    list: undefined,
    places: new Map<string, readonly number[]>(),
  };
  const place = countOf(list);
  const known = places.get(key) ?? [];
  if (!known.includes(place)) places.set(key, [...known, place]);
  return { list: addTo(list, item), places };
}

/** How many items a list has. */
export function countUnder(keyed: KeyedList<unknown>): number {
  return countOf(keyed?.list);
}

/** The place of the newest item under a key that passes a test of its own; -1 where there is none. */
export function newestUnder<Item>(
  keyed: KeyedList<Item>,
  key: string,
  isUnder: (item: Item) => boolean,
): number {
  let newest = -1;
  for (const place of keyed?.places.get(key) ?? []) {
    const item = itemOf(keyed?.list, place);
    if (place > newest && item !== undefined && isUnder(item)) newest = place;
  }
  return newest;
}

/** The item of a list at a place. */
export function itemUnder<Item>(keyed: KeyedList<Item>, place: number): Item | undefined {
  return itemOf(keyed?.list, place);
}
