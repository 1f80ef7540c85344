/** Whether what is left still shows what is looked for. */
export type Shows<Value> = (value: Value) => Promise<boolean>;

/** How two neighbours of a list become one. */
export interface Joining<Item> {
  readonly canJoin: (before: Item, after: Item) => boolean;
  readonly join: (before: Item, after: Item) => Item;
}

/**
 * The items without which nothing is shown, by delta debugging: first half of them goes, then smaller and smaller
 * pieces, at last each by itself. Of what is left, no single item can go.
 */
export async function reduceList<Item>(
  items: readonly Item[],
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = items;
  let size = Math.ceil(left.length / 2);
  while (size > 0 && left.length > 0) {
    const before = left.length;
    left = await dropPieces(left, size, shows);
    // Where single items went, others may be able to go now.
    if (size > 1) size = Math.min(Math.ceil(size / 2), left.length);
    else if (left.length === before) return left;
  }
  return left;
}

/**
 * The items with those put together that need not be apart, by leaving out the boundaries between them: where much is
 * needed and no piece of it can go, few items may still hold it.
 */
export async function joinList<Item>(
  items: readonly Item[],
  { canJoin, join }: Joining<Item>,
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  const isOpen = (index: number) => canJoin(items[index - 1] as Item, items[index] as Item);
  const open = items.map((_, index) => index).filter((index) => index > 0 && isOpen(index));
  const joined = (left: readonly number[]): readonly Item[] => {
    const gone = new Set(open);
    for (const index of left) gone.delete(index);
    const done: Item[] = [];
    for (const [index, item] of items.entries()) {
      const before = gone.has(index) ? done.pop() : undefined;
      done.push(before === undefined ? item : join(before, item));
    }
    return done;
  };
  return joined(await reduceList(open, (left) => shows(joined(left))));
}

/** The smallest number from 0 that still shows it, where no smaller one does than one that does not. */
export async function reduceNumber(number: number, shows: Shows<number>): Promise<number> {
  if (number === 0 || (await shows(0))) return 0;
  // Few of the many numbers of a session can go down at all; the others cost two tries, not a whole search.
  if (number === 1 || !(await shows(number - 1))) return number;
  let [low, high] = [0, number - 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** From the end, where later pieces rest on earlier ones. */
async function dropPieces<Item>(
  items: readonly Item[],
  size: number,
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = items;
  for (let end = left.length; end > 0; end -= size) {
    const start = Math.max(0, end - size);
    const without = [...left.slice(0, start), ...left.slice(end)];
    if (await shows(without)) left = without;
  }
  return left;
}
