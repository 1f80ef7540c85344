/** Items that the versions of a series share: those of the newest version, and what was there before. */
export interface Storage<Item> {
  readonly items: Item[];
  readonly rewrites: Rewrite<Item>[];
  /** What folds came to, one note for each of the few that were ever asked for; absent before the first. */
  notes: { readonly fold: unknown }[] | undefined;
}

/** An end of the items that gave way to another one. */
interface Rewrite<Item> {
  readonly from: number;
  readonly replaced: readonly Item[];
}

/** One state of a series: so many items, after so many rewrites. It never changes. */
export interface Version<Item> {
  readonly storage: Storage<Item>;
  readonly length: number;
  readonly rewrites: number;
}

/** Rewrites after which an old version is copied rather than read through them. */
const MAX_REWRITES_BEHIND = 64;

/** The first version of a series that holds these items. */
export function startVersion<Item>(items: Item[]): Version<Item> {
  const storage = { items, rewrites: [], notes: undefined };
  return { storage, length: items.length, rewrites: 0 };
}

/** How many of a version's items still stand where the newest version has its own. */
export function standingLength<Item>({ storage, length, rewrites }: Version<Item>): number {
  let standing = length;
  for (let index = rewrites; index < storage.rewrites.length; index++) {
    const from = storage.rewrites[index]?.from ?? 0;
    if (from < standing) standing = from;
  }
  return standing;
}

/** The item of a version at an index below its length. */
export function readItem<Item>({ storage, rewrites }: Version<Item>, index: number): Item {
  for (let nth = rewrites; nth < storage.rewrites.length; nth++) {
    const rewrite = storage.rewrites[nth];
    if (rewrite !== undefined && rewrite.from <= index) {
      return rewrite.replaced[index - rewrite.from] as Item;
    }
  }
  return storage.items[index] as Item;
}

/** The items of a version from an index on. */
export function readItems<Item>(version: Version<Item>, from: number): Item[] {
  const { storage, length, rewrites } = version;
  const rewrite = storage.rewrites[rewrites];
  if (rewrite === undefined) return storage.items.slice(from, length);
  // All that stood there gave way at once.
  if (rewrite.from <= from && from < length)
    return rewrite.replaced.slice(from - rewrite.from, length - rewrite.from);
  const items: Item[] = [];
  for (let index = from; index < length; index++) items.push(readItem(version, index));
  return items;
}

/** The version in which other items stand from an index on. Only what differs from the newest one is moved. */
export function rewriteVersion<Item>(
  version: Version<Item>,
  from: number,
  items: readonly Item[],
): Version<Item> {
  const { storage } = version;
  const kept = shortenVersion(version, from);
  if (storage.rewrites.length - version.rewrites > MAX_REWRITES_BEHIND) {
    return startVersion([...readItems(kept, 0), ...items]);
  }
  const standing = standingLength(kept);
  const others = readItems(kept, standing);
  // Rewrites that put back what had stood there leave it standing: else every later one went back as far.
  const alike = countAlike(others, storage.items, standing);
  const start = standing + alike;
  if (start < storage.items.length) {
    storage.rewrites.push({ from: start, replaced: storage.items.splice(start) });
  }
  for (let index = alike; index < others.length; index++) {
    storage.items.push(others[index] as Item);
  }
  for (const item of items) storage.items.push(item);
  return { storage, length: storage.items.length, rewrites: storage.rewrites.length };
}

/** The version with its first items only. */
export function shortenVersion<Item>(version: Version<Item>, length: number): Version<Item> {
  const { storage, rewrites } = version;
  return { storage, length, rewrites };
}

/** The version with one more item. */
export function growVersion<Item>(version: Version<Item>, item: Item): Version<Item> {
  if (!isNewest(version)) return rewriteVersion(version, version.length, [item]);
  const { storage, length, rewrites } = version;
  storage.items[length] = item;
  return { storage, length: length + 1, rewrites };
}

/** How many of some items stand in a list as well, from an index on. */
function countAlike<Item>(items: readonly Item[], list: readonly Item[], from: number): number {
  const end = Math.min(items.length, list.length - from);
  let alike = 0;
  while (alike < end && items[alike] === list[from + alike]) alike++;
  return alike;
}

/** Whether nothing has grown out of a version yet. */
function isNewest<Item>({ storage, length, rewrites }: Version<Item>): boolean {
  return length === storage.items.length && rewrites === storage.rewrites.length;
}
