/** What grew item by item, with a way back. */
export interface Leaping<Self> {
  /** How many items it has. */
  readonly length: number;
  /** A shorter one on the way back; from each to the next the way doubles, so that few of them lead to any length. */
  readonly leap: Self | undefined;
}

/** Items from the newest one back; nothing stands for none. Those that grew out of the same one share it. */
export interface Stack<Item> extends Leaping<Stack<Item>> {
  readonly item: Item;
  /** All but the newest item. */
  readonly older: Stack<Item> | undefined;
}

/** A stack with one more item. */
export function push<Item>(older: Stack<Item> | undefined, item: Item): Stack<Item> {
  const length = (older?.length ?? 0) + 1;
  return { item, length, older, leap: older && leapFrom(older) };
}

/** Where something leaps that has one item more: two leaps of one width make one of twice that. */
export function leapFrom<Self extends Leaping<Self>>(older: Self): Self {
  const { leap } = older;
  const next = leap?.leap;
  if (leap === undefined || next === undefined) return older;
  return older.length - leap.length === leap.length - next.length ? next : older;
}

/** A stack back to the newest item that passes a test which all older ones pass as well; nothing where none does. */
export function backTo<Item>(
  stack: Stack<Item> | undefined,
  test: (item: Item) => boolean,
): Stack<Item> | undefined {
  let at = stack;
  while (at !== undefined && !test(at.item)) {
    at = at.leap !== undefined && !test(at.leap.item) ? at.leap : at.older;
  }
  return at;
}

/** A stack back to the oldest item that passes a test which all newer ones pass as well. */
export function backThrough<Item>(stack: Stack<Item>, test: (item: Item) => boolean): Stack<Item> {
  let at = stack;
  for (;;) {
    const { leap, older } = at;
    if (leap !== undefined && test(leap.item)) at = leap;
    else if (older !== undefined && test(older.item)) at = older;
    else return at;
  }
}

/** The items of a stack, newest first. */
export function itemsOf<Item>(stack: Stack<Item> | undefined): readonly Item[] {
  const items: Item[] = [];
  for (let at = stack; at !== undefined; at = at.older) items.push(at.item);
  return items;
}
