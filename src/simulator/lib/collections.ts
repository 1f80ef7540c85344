import { compareTexts } from './text.ts';

/** Items by a key, in the order in which the keys come up; items without one are left out. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) addToGroup(groups, key, item);
  }
  return groups;
}

/** Adds an item to the group of its key, which is made for its first one. */
export function addToGroup<Item, Key>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** How often each of some items is among them, in the order in which they come up. */
export function countEach<Item>(items: Iterable<Item>): Map<Item, number> {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The value that a map has under a key, made where it has none yet. */
export function keepIn<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** The sum of some numbers. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The first index whose number is not below a bound, of numbers in order; found by halves, for there may be a million. */
export function firstAtLeast(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The members of some groups, each with the first by name of all that it hangs together with: in one group, or through
 * groups that share a member. The same whatever the order of groups and members.
 */
export function joinGroups(groups: Iterable<readonly string[]>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const group of groups) {
    for (const member of group) join(parents, group[0] ?? member, member);
  }
  return new Map([...parents.keys()].map((member) => [member, findFirst(parents, member)]));
}

/** Whoever comes first by name stands for both. */
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
