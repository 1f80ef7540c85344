import type { Fold } from '../../engine/internal.ts';

/** What a fold came to over some items. It knows what it became with those that came next, in any list. */
export interface Shared<Value> {
  /** What the newest item says, and what that means to the fold; absent before the first. */
  readonly content: object | undefined;
  readonly meaning: object | undefined;
  /** With the item that came next last. */
  next: Value | undefined;
  /** With items that came before that one, for as long as the keys to these are there. */
  others: WeakMap<object, Value> | undefined;
}

/** How items are taken in, by what they mean. */
export interface SharedRules<Item, Meaning extends object, Value extends Shared<Value>> {
  readonly start: Value;
  /** What an item says: items with the same content mean the same. */
  readonly contentOf: (item: Item) => object;
  /** What an item means: one object for one meaning, as often as that can be told. */
  readonly meaningOf: (item: Item) => Meaning;
  /** What values are kept by. It must not outlive the lists that an item came in: it would keep all that followed in them. */
  readonly keptBy: 'content' | 'meaning';
  /** The value with one more item, of which nothing is known yet; the same one where the item changes nothing. */
  readonly add: (value: Value, meaning: Meaning, content: object) => Value;
}

/** A fold whose values are shared by lists that begin alike, as runs of one recording do, although none grew out of another. */
export function sharedFold<Item, Meaning extends object, Value extends Shared<Value>>({
  start,
  contentOf,
  meaningOf,
  keptBy,
  add,
}: SharedRules<Item, Meaning, Value>): Fold<Item, Value> {
  return {
    start,
    add: (value, item) => {
      const { next } = value;
      const content = contentOf(item);
      if (next !== undefined && next.content === content) return next;
      const meaning = meaningOf(item);
      if (next !== undefined && next.meaning === meaning) return next;
      const key = keptBy === 'content' ? content : meaning;
      const longer = value.others?.get(key) ?? add(value, meaning, content);
      if (longer === value) return value;
      // All lists begin at the start, which would keep what follows for good.
      if (value === start) keepOther(value, key, longer);
      else {
        if (next !== undefined) keepOther(value, next[keptBy], next);
        value.next = longer;
      }
      return longer;
    },
  };
}

function keepOther<Value extends Shared<Value>>(
  value: Value,
  key: object | undefined,
  longer: Value,
): void {
  if (key === undefined) return;
  value.others ??= new WeakMap();
  value.others.set(key, longer);
}
