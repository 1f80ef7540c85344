import { versionOf } from './frozen-array.ts';
import { readItem, standingLength, type Storage, type Version } from './storage.ts';

/** Something that is worked out item by item, from the oldest on. Values must not change once they are given. */
export interface Fold<Item, Value> {
  readonly start: Value;
  /** The value with one more item. */
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
interface Note<Value> {
  length: number;
  value: Value;
  /** Rewrites of the storage that are accounted for. */
  rewrites: number;
  /** The values after every so many items, for lists that are shorter or were rewritten. */
  readonly checkpoints: Value[];
  /** The value after each item behind the newest of these. */
  recent: Value[];
  /** What it came to over the newest list that it does not go on from. */
  aside: Aside<Value> | undefined;
}

/** What a fold came to over a list, by its version. */
interface Aside<Value> {
  readonly length: number;
  readonly rewrites: number;
  readonly value: Value;
}

const CHECKPOINT_ITEMS = 64;

/** What a fold comes to over an array. A series goes on from where the fold stood when it was shorter. */
export function foldOver<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  const version = versionOf(list);
  if (version === undefined) return fold.ofPlain ? fold.ofPlain(list) : foldPlain(list, fold);
  const note = noteOf(version.storage, fold);
  if (note.length === version.length && note.rewrites === version.rewrites) return note.value;
  const standing = standingLength(version);
  // Also an older list brings the note on, as far as the newest one holds the same.
  if (note.length < standing) takeUntil(standing, version, { list, fold, note });
  return note.length === version.length && standing === version.length
    ? note.value
    : foldAside(version, { list, fold, note, standing });
}

function foldPlain<Item, Value>(list: readonly Item[], fold: Fold<Item, Value>): Value {
  let value = fold.start;
  let index = 0;
  for (const item of list) {
    value = fold.add(value, item, { list, index });
    index += 1;
  }
  return value;
}

/** The note of a fold, without what was rewritten since. */
function noteOf<Item, Value>(storage: Storage<Item>, fold: Fold<Item, Value>): Note<Value> {
  const known = storage.notes?.get(fold) as Note<Value> | undefined;
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

function startNote<Item, Value>(storage: Storage<Item>, fold: Fold<Item, Value>): Note<Value> {
  const { start } = fold;
  const rewrites = storage.rewrites.length;
  const note: Note<Value> = {
    length: 0,
    value: start,
    rewrites,
    checkpoints: [start],
    recent: [],
    aside: undefined,
  };
  storage.notes ??= new Map();
  storage.notes.set(fold, note);
  return note;
}

/** The value of the longest list that a note still knows, up to a length. */
function newestKnown<Value>({ checkpoints, recent }: Note<Value>, length: number): Known<Value> {
  const newest = checkpoints.length - 1;
  const nth = Math.min(Math.floor(length / CHECKPOINT_ITEMS), newest);
  const behind = nth < newest ? 0 : Math.min(length - nth * CHECKPOINT_ITEMS, recent.length);
  const value = (behind === 0 ? checkpoints[nth] : recent[behind - 1]) as Value;
  return { value, length: nth * CHECKPOINT_ITEMS + behind, nth, behind };
}

/** A value that a note knows: behind its nth checkpoint, after so many items. */
interface Known<Value> {
  readonly value: Value;
  readonly length: number;
  readonly nth: number;
  readonly behind: number;
}

function shorten<Value>(note: Note<Value>, standing: number): void {
  const { value, length, nth, behind } = newestKnown(note, standing);
  note.checkpoints.length = nth + 1;
  note.recent.length = behind;
  note.length = length;
  note.value = value;
}

/** Takes in the items up to a length. */
function takeUntil<Item, Value>(
  length: number,
  version: Version<Item>,
  rest: {
    readonly list: readonly Item[];
    readonly fold: Fold<Item, Value>;
    readonly note: Note<Value>;
  },
): void {
  const { list, fold, note } = rest;
  let { value } = note;
  for (let index = note.length; index < length; index++) {
    value = fold.add(value, readItem(version, index), { list, index });
    note.recent.push(value);
    if (note.recent.length < CHECKPOINT_ITEMS) continue;
    note.checkpoints.push(value);
    note.recent = [];
  }
  note.value = value;
  note.length = length;
}

/** An older list than the note is of: from the newest value on that it still shares. */
function foldAside<Item, Value>(
  version: Version<Item>,
  aside: {
    readonly list: readonly Item[];
    readonly fold: Fold<Item, Value>;
    readonly note: Note<Value>;
    readonly standing: number;
  },
): Value {
  const { list, fold, note, standing } = aside;
  const known = longerOf(note.aside, newestKnown(note, standing), version);
  let { value } = known;
  for (let index = known.length; index < version.length; index++) {
    value = fold.add(value, readItem(version, index), { list, index });
  }
  const { length, rewrites } = version;
  note.aside = { length, rewrites, value };
  return value;
}

/** The value that is over more items of a version. */
function longerOf<Value>(
  aside: Aside<Value> | undefined,
  known: Pick<Known<Value>, 'length' | 'value'>,
  { length, rewrites }: Version<unknown>,
): Pick<Known<Value>, 'length' | 'value'> {
  const isOfVersion = aside?.rewrites === rewrites && aside.length <= length;
  return isOfVersion && aside.length > known.length ? aside : known;
}
