import { versionOf } from './frozen-array.ts';
import { readItem, standingLength, type Storage, type Version } from './storage.ts';

/** Something that is worked out item by item, from the oldest on. Values must not change once they are given. */
export interface Fold<Item, Value> {
  readonly start: Value;
  /** The value with one more item. The place is good until the next item. */
  add(value: Value, item: Item, place: Place<Item>): Value;
  /** The value of an array that is no series, where a look at all of it tells it as well. */
  ofPlain?(list: readonly Item[]): Value;
}

/** Where an item stands that a fold takes in. */
export interface Place<Item> {
  readonly list: readonly Item[];
  readonly index: number;
}

/** What a fold came to over the first items of a storage. */
interface Note<Item, Value> {
  readonly fold: Fold<Item, Value>;
  length: number;
  value: Value;
  /** Rewrites of the storage that are accounted for. */
  rewrites: number;
  /** The values after every so many items, for lists that are shorter or were rewritten. */
  readonly checkpoints: Value[];
  /** The value after each item behind the newest of these; what stands further on is of no use any more. */
  readonly recent: Value[];
  /** What it came to over the newest list that it does not go on from. */
  aside: Aside<Value> | undefined;
  /** Where the item stands that is being taken in; one for all items, for there are many. */
  readonly place: MovingPlace<Item>;
}

type MovingPlace<Item> = { -readonly [Key in keyof Place<Item>]: Place<Item>[Key] };

/** What a fold came to over a list, by its version. */
interface Aside<Value> {
  readonly length: number;
  readonly rewrites: number;
  readonly value: Value;
}

/** A value that is over so many items. */
interface Known<Value> {
  readonly value: Value;
  readonly length: number;
}

const CHECKPOINT_ITEMS = 64;
const NO_ITEMS: readonly never[] = [];

/** What a fold comes to over an array. A series goes on from where the fold stood when it was shorter. */
export function foldOver<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  const version = versionOf(list);
  if (version === undefined) return fold.ofPlain ? fold.ofPlain(list) : foldPlain(list, fold);
  const note = noteOf(version.storage, fold);
  if (note.length === version.length && note.rewrites === version.rewrites) return note.value;
  const standing = standingLength(version);
  note.place.list = list;
  // Also an older list brings the note on, as far as the newest one holds the same.
  if (note.length < standing) takeUntil(standing, version, note);
  const isWhole = note.length === version.length && standing === version.length;
  const value = isWhole ? note.value : foldAside(standing, version, note);
  note.place.list = NO_ITEMS;
  return value;
}

function foldPlain<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  let value = fold.start;
  const place = { list, index: 0 };
  for (const item of list) {
    value = fold.add(value, item, place);
    place.index += 1;
  }
  return value;
}

/** The note of a fold, without what was rewritten since. */
function noteOf<Item, Value>(storage: Storage<Item>, fold: Fold<Item, Value>): Note<Item, Value> {
  const known = knownNote(storage, fold);
  if (known === undefined) return startNote(storage, fold);
  if (known.rewrites === storage.rewrites.length) return known;
  const { length, rewrites, value } = known;
  const standing = standingLength({ storage, length, rewrites });
  if (standing < length) {
    // Who compares both sides of a rewrite asks for the older one next.
    known.aside = { length, rewrites, value };
    shorten(known, standing);
  }
  known.rewrites = storage.rewrites.length;
  return known;
}

function knownNote<Item, Value>(
  { notes }: Storage<Item>,
  fold: Fold<Item, Value>,
): Note<Item, Value> | undefined {
  if (notes === undefined) return undefined;
  for (const note of notes) if (note.fold === fold) return note as Note<Item, Value>;
  return undefined;
}

function startNote<Item, Value>(
  storage: Storage<Item>,
  fold: Fold<Item, Value>,
): Note<Item, Value> {
  const note: Note<Item, Value> = {
    fold,
    length: 0,
    value: fold.start,
    rewrites: storage.rewrites.length,
    checkpoints: [],
    recent: [],
    aside: undefined,
    place: { list: NO_ITEMS, index: 0 },
  };
  if (storage.notes === undefined) storage.notes = [note];
  else storage.notes.push(note);
  return note;
}

/** The value of the longest list that a note still knows, up to a length. */
function newestKnown<Item, Value>(note: Note<Item, Value>, atMost: number): Known<Value> {
  const newest = Math.floor(note.length / CHECKPOINT_ITEMS);
  const nth = Math.min(Math.floor(atMost / CHECKPOINT_ITEMS), newest);
  const start = nth * CHECKPOINT_ITEMS;
  const length = nth < newest ? start : Math.min(atMost, note.length);
  return { value: valueAt(note, length), length };
}

/** The value that a note has kept over so many items. */
function valueAt<Item, Value>(
  { fold, checkpoints, recent }: Note<Item, Value>,
  length: number,
): Value {
  const behind = length % CHECKPOINT_ITEMS;
  if (behind > 0) return recent[behind - 1] as Value;
  return length === 0 ? fold.start : (checkpoints[length / CHECKPOINT_ITEMS - 1] as Value);
}

function shorten<Item, Value>(note: Note<Item, Value>, standing: number): void {
  const { value, length } = newestKnown(note, standing);
  note.checkpoints.length = Math.floor(length / CHECKPOINT_ITEMS);
  note.length = length;
  note.value = value;
}

/** Takes in the items up to a length. */
function takeUntil<Item, Value>(
  length: number,
  version: Version<Item>,
  note: Note<Item, Value>,
): void {
  const { fold, recent, place } = note;
  let { value } = note;
  for (let index = note.length; index < length; index++) {
    place.index = index;
    value = fold.add(value, readItem(version, index), place);
    const behind = index % CHECKPOINT_ITEMS;
    recent[behind] = value;
    if (behind === CHECKPOINT_ITEMS - 1) note.checkpoints.push(value);
  }
  note.value = value;
  note.length = length;
}

/** An older list than the note is of: from the newest value on that it still shares. */
function foldAside<Item, Value>(
  standing: number,
  version: Version<Item>,
  note: Note<Item, Value>,
): Value {
  const { fold, place } = note;
  const { length, rewrites } = version;
  const known = longerOf(note.aside, newestKnown(note, standing), version);
  let { value } = known;
  for (let index = known.length; index < length; index++) {
    place.index = index;
    value = fold.add(value, readItem(version, index), place);
  }
  note.aside = { length, rewrites, value };
  return value;
}

/** The value that is over more items of a version. */
function longerOf<Value>(
  aside: Aside<Value> | undefined,
  known: Known<Value>,
  { length, rewrites }: Version<unknown>,
): Known<Value> {
  const isOfVersion = aside?.rewrites === rewrites && aside.length <= length;
  return isOfVersion && aside.length > known.length ? aside : known;
}
