import { hashUnits } from './values.ts';

/** Items from the newest one back; nothing stands for none. */
export interface Stack<Item> {
  readonly item: Item;
  /** All but the newest item. */
  readonly older: Stack<Item> | undefined;
}

/** A persistent map; `undefined` is the empty one. */
export type KeyTrie<Item> = Leaf<Item> | Branch<Item> | undefined;

interface Leaf<Item> {
  readonly hash: number;
  readonly entries: readonly (readonly [key: string, item: Item])[];
}

interface Branch<Item> {
  readonly zero: KeyTrie<Item>;
  readonly one: KeyTrie<Item>;
}

/** A key with the hash by which it is found. */
export interface HashedKey {
  readonly key: string;
  readonly hash: number;
}

/** A stack with one more item. */
export function push<Item>(older: Stack<Item> | undefined, item: Item): Stack<Item> {
  return { item, older };
}

/** The items of a stack, newest first. */
export function itemsOf<Item>(stack: Stack<Item> | undefined): readonly Item[] {
  const items: Item[] = [];
  for (let at = stack; at !== undefined; at = at.older) items.push(at.item);
  return items;
}

/** A key with its hash. */
export function hashKey(key: string): HashedKey {
  return { key, hash: hashUnits(key) >>> 0 };
}

/** The item under a key. */
export function itemUnderKey<Item>(
  trie: KeyTrie<Item>,
  { key, hash }: HashedKey,
): Item | undefined {
  let at = trie;
  for (let bit = 0; at !== undefined && !isLeaf(at); bit++)
    at = isSet(hash, bit) ? at.one : at.zero;
  if (at?.hash !== hash) return undefined;
  return at.entries.find(([known]) => known === key)?.[1];
}

/** A trie with an item under a key, in the place of the one that was there. */
export function withItem<Item>(
  trie: KeyTrie<Item>,
  { key, hash }: HashedKey,
  item: Item,
): KeyTrie<Item> {
  return put(trie, { hash, entries: [[key, item]] }, 0);
}

function isLeaf<Item>(trie: Leaf<Item> | Branch<Item>): trie is Leaf<Item> {
  return 'hash' in trie;
}

function isSet(hash: number, bit: number): boolean {
  return ((hash >>> bit) & 1) === 1;
}

function put<Item>(trie: KeyTrie<Item>, leaf: Leaf<Item>, bit: number): KeyTrie<Item> {
  if (trie === undefined) return leaf;
  if (!isLeaf(trie)) {
    const { zero, one } = trie;
    return isSet(leaf.hash, bit)
      ? { zero, one: put(one, leaf, bit + 1) }
      : { zero: put(zero, leaf, bit + 1), one };
  }
  if (trie.hash === leaf.hash) {
    const [key] = leaf.entries[0] ?? [];
    const others = trie.entries.filter(([known]) => known !== key);
    return { hash: leaf.hash, entries: [...others, ...leaf.entries] };
  }
  const split: Branch<Item> = isSet(trie.hash, bit)
    ? { zero: undefined, one: trie }
    : { zero: trie, one: undefined };
  return put(split, leaf, bit);
}
