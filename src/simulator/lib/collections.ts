import { compareTexts } from './text.ts';

/** Groups items by key, in order of first occurrence; items without a key are left out. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, readonly [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) addToGroup(groups, key, item);
  }
  return groups;
}

/** Adds an item to the group of its key. */
export function addToGroup<Item, Key>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** Counts of equal items, in order of first occurrence. */
export function countEach<Item>(items: Iterable<Item>): Map<Item, number> {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The map's value of a key, made and stored if absent. */
export function keepIn<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** The fields of an object that are not `undefined`. */
export function known<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}

/** The sum of numbers. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The first index of sorted numbers not below a bound, by binary search; the length if none. */
export function firstAtLeast(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A function of an object that remembers its results for as long as the object is there. */
export function perKey<Key extends object, Value extends {}>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    values.set(key, value);
    return value;
  };
}

/** Members of groups, each with the first name of its connected component; groups that share a member are connected. */
export function joinGroups(groups: Iterable<readonly string[]>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const group of groups) {
    for (const member of group) join(parents, group[0] ?? member, member);
  }
  return new Map([...parents.keys()].map((member) => [member, findFirst(parents, member)]));
}

function join(parents: Map<string, string>, one: string, other: string): void {
  const [first, second] = [findFirst(parents, one), findFirst(parents, other)];
  const isInOrder = compareTexts(first, second) < 0;
  parents.set(isInOrder ? second : first, isInOrder ? first : second);
}

function findFirst(parents: Map<string, string>, member: string): string {
  let current = member;
  for (;;) {
    const parent = parents.get(current) ?? current;
    if (parent === current) break;
    // Whoever asks next has half the way.
    parents.set(current, parents.get(parent) ?? parent);
    current = parent;
  }
  if (!parents.has(current)) parents.set(current, current);
  return current;
}
