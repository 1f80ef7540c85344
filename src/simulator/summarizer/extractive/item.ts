/** One bullet of a summary. */
export interface Item {
  /** One line, without the bullet. */
  readonly text: string;
  readonly weight: number;
  /** Index of the message that it stems from, or `BEFORE_HEAD`. */
  readonly at: number;
  /** Items with the same key say the same, and the newest one holds; the text where absent. */
  readonly key?: string;
}

/** How long an item is kept when the cap bites: the heavier, the longer. */
export const WEIGHTS = { essential: 4, vital: 3, important: 2, useful: 1, spare: 0 } as const;
/** Where an item stands that an earlier summary carried: before every message. */
export const BEFORE_HEAD = -1;

/** The items in order, without empty ones and without what a newer one says again. */
export function dropRepeated(items: readonly Item[]): readonly Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items.filter(({ text }) => text !== '')) {
    const key = item.key ?? keyOf(item.text);
    const weight = Math.max(item.weight, byKey.get(key)?.weight ?? item.weight);
    byKey.delete(key);
    byKey.set(key, { ...item, weight });
  }
  return [...byKey.values()];
}

/** The items from the one to keep longest to the one to drop first. */
export function rankItems(items: readonly Item[]): readonly Item[] {
  return items.toReversed().toSorted((a, b) => b.weight - a.weight || b.at - a.at);
}

/** What two texts that say the same have in common. */
export function keyOf(text: string): string {
  return text.toLowerCase().replace(/[\s.!…。！]+$/u, '');
}
