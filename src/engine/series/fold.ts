import { versionOf } from './frozen-array.ts';
import { readItem, standingLength, type Storage, type Version } from './storage.ts';

/** Something that is worked out item by item, from the oldest on. Values must not change once they are given. */
export interface Fold<Item, Value> {
  readonly start: Value;
  /** The value with one more item. */
  add(value: Value, item: Item, place: Place<Item>): Value;
}

/** Where an item stands that a fold takes in. */
export interface Place<Item> {
  readonly list: readonly Item[];
  readonly index: number;
}

/** What a fold came to over the first items of a storage. */
interface Note<Value> {
  length: number;
  value: Value;
  /** Rewrites of the storage that are accounted for. */
  rewrites: number;
  /** The values after every so many items, for lists that are shorter or were rewritten. */
  readonly checkpoints: Value[];
}

const CHECKPOINT_ITEMS = 64;

/** What a fold comes to over an array. A series goes on from where the fold stood when it was shorter. */
export function foldOver<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  const version = versionOf(list);
  if (version === undefined) return foldPlain(list, fold);
  const note = noteOf(version.storage, fold);
  if (note.length !== version.length || note.rewrites !== version.rewrites) {
    const standing = standingLength(version);
    if (standing < version.length || version.length < note.length) {
      return foldAside(list, { fold, note, standing });
    }
    takeRest(list, { fold, note, version });
  }
  return note.value;
}

function foldPlain<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  let value = fold.start;
  for (const [index, item] of list.entries()) value = fold.add(value, item, { list, index });
  return value;
}

/** The note of a fold, without what was rewritten since. */
function noteOf<Item, Value>(storage: Storage<Item>, fold: Fold<Item, Value>): Note<Value> {
  const known = storage.notes.get(fold) as Note<Value> | undefined;
  if (known === undefined) {
    const note = { length: 0, value: fold.start, rewrites: 0, checkpoints: [fold.start] };
    note.rewrites = storage.rewrites.length;
    storage.notes.set(fold, note);
    return note;
  }
  if (known.rewrites === storage.rewrites.length) return known;
  const { length, rewrites } = known;
  const standing = standingLength({ storage, length, rewrites });
  if (standing < length) shorten(known, standing);
  known.rewrites = storage.rewrites.length;
  return known;
}

function shorten<Value>(note: Note<Value>, length: number): void {
  const last = Math.floor(length / CHECKPOINT_ITEMS);
  note.checkpoints.length = last + 1;
  note.length = last * CHECKPOINT_ITEMS;
  note.value = note.checkpoints[last] as Value;
}

/** Takes in the items that came since. */
function takeRest<Item, Value>(
  list: readonly Item[],
  rest: {
    readonly fold: Fold<Item, Value>;
    readonly note: Note<Value>;
    readonly version: Version<Item>;
  },
): void {
  const { fold, note, version } = rest;
  let { value } = note;
  for (let index = note.length; index < version.length; index++) {
    value = fold.add(value, readItem(version, index), { list, index });
    if ((index + 1) % CHECKPOINT_ITEMS === 0) note.checkpoints.push(value);
  }
  note.value = value;
  note.length = version.length;
}

/** An older list than the note is of: from the newest checkpoint that it still shares. */
function foldAside<Item, Value>(
  list: readonly Item[],
  aside: {
    readonly fold: Fold<Item, Value>;
    readonly note: Note<Value>;
    readonly standing: number;
  },
): Value {
  const { fold, note, standing } = aside;
  const nearest = Math.min(Math.floor(standing / CHECKPOINT_ITEMS), note.checkpoints.length - 1);
  let value = note.checkpoints[nearest] as Value;
  const version = versionOf(list);
  if (version === undefined) return value;
  for (let index = nearest * CHECKPOINT_ITEMS; index < version.length; index++) {
    value = fold.add(value, readItem(version, index), { list, index });
  }
  return value;
}
