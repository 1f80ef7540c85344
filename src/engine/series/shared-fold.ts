import type { Fold } from './fold.ts';

/** What a fold came to over some items, and what that became with those that came next, in any list. */
export interface Way<Value> {
  readonly value: Value;
  /** What the newest item says, and what that means to the fold; absent before the first. */
  readonly content: object | undefined;
  readonly meaning: object | undefined;
  /** With the item that was the first to come next. */
  next: Way<Value> | undefined;
  /** With items that mean something else, for as long as their meanings are there. */
  others: WeakMap<object, Way<Value>> | undefined;
}

/** How items are taken in, by what they mean. */
export interface SharedRules<Item, Meaning extends object, Value> {
  readonly start: Value;
  /** What an item says: items with the same content mean the same. */
  readonly contentOf: (item: Item) => object;
  /** What an item means: one object for one meaning, as often as that can be told. */
  readonly meaningOf: (item: Item) => Meaning;
  readonly add: (value: Value, meaning: Meaning, index: number) => Value;
}

/**
 * A fold whose values are shared by lists that begin alike, as runs of one recording do, although none grew out of
 * another. They are kept for as long as the content of their first item is there.
 */
export function sharedFold<Item, Meaning extends object, Value>({
  start,
  contentOf,
  meaningOf,
  add,
}: SharedRules<Item, Meaning, Value>): Fold<Item, Way<Value>> {
  const origin = wayTo(start);
  const begun = new WeakMap<object, Way<Value>>();
  return {
    start: origin,
    add: (way, item, { index }) => {
      const content = contentOf(item);
      const known = way === origin ? begun.get(content) : way.next;
      if (known !== undefined && known.content === content) return known;
      const meaning = meaningOf(item);
      const alike = alikeIn(way, meaning);
      if (alike !== undefined) return alike;
      const longer = wayTo(add(way.value, meaning, index), content, meaning);
      if (way === origin) begun.set(content, longer);
      else keep(way, longer, meaning);
      return longer;
    },
  };
}

/** What a way became with an item that means the same. */
function alikeIn<Value>({ next, others }: Way<Value>, meaning: object): Way<Value> | undefined {
  return next !== undefined && next.meaning === meaning ? next : others?.get(meaning);
}

function wayTo<Value>(value: Value, content?: object, meaning?: object): Way<Value> {
  return { value, content, meaning, next: undefined, others: undefined };
}

function keep<Value>(way: Way<Value>, longer: Way<Value>, meaning: object): void {
  if (way.next === undefined) {
    way.next = longer;
    return;
  }
  way.others ??= new WeakMap();
  way.others.set(meaning, longer);
}
