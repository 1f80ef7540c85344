/** Append-only logs that share items, and folds that go on from where they stopped. */

/** Items in order: an array, or a log. */
export type List<Item> = readonly Item[] | Log<Item>;

/** The first `length` items of an array that longer logs share. */
export interface Log<Item> {
  readonly items: Item[];
  readonly length: number;
  readonly chain: Chain;
  /** The items as an array of their own; absent until somebody asks for it. */
  array: readonly Item[] | undefined;
}

/** A left fold. Its values are never changed. */
export interface Fold<Item, Value> {
  /** Tells apart folds that are made anew each time: by a name, and rules compared by identity. */
  readonly by?: { readonly name: string; readonly rules: readonly unknown[] };
  readonly start: Value;
  /** Adds an item. `place` is reused for the next item. */
  add(
    value: Value,
    item: Item,
    place: { readonly list: List<Item>; readonly index: number },
  ): Value;
}

interface Chain {
  readonly notes: Note[];
  /** The chain that this one was forked from, and the length up to which both are equal. */
  fork: { readonly chain: Chain; readonly length: number } | undefined;
  /** The items belong to the chain; those of a caller's array are copied before they grow. */
  readonly isOwner: boolean;
}

interface Note {
  readonly fold: Fold<never, unknown>;
  newest: Folded<unknown>;
  /** An earlier result, for whoever compares two logs. */
  other: Folded<unknown>;
  /** Results after every `CHECKPOINT_ITEMS` items. */
  checkpoints: unknown[];
}

interface Folded<Value> {
  readonly length: number;
  readonly value: Value;
}

const CHECKPOINT_ITEMS = 64;
/** Where an object keeps its list, which spreads, comparisons and structured clones do not see. */
const HELD = Symbol('list');
/** The array is made when it is read, so that nobody pays for one that nobody reads. */
const AS_ARRAY = {
  get(this: object) {
    return toArray(heldList(this) ?? NONE);
  },
  enumerable: true,
  configurable: true,
};
const NONE: readonly never[] = [];
const inheritedLength = (one: Chain, other: Chain) =>
  lengthBack(one, other) ?? lengthBack(other, one) ?? 0;

/** A log of the items of a list. */
export function toLog<Item>(list: List<Item>): Log<Item> {
  return isLog(list)
    ? list
    : createLog(list as Item[], { notes: [], fork: undefined, isOwner: false });
}

/** The items of a list as an array; the same one for the same list. */
export function toArray<Item>(list: List<Item>): readonly Item[] {
  if (!isLog(list)) return list;
  list.array ??= list.items.slice(0, list.length);
  return list.array;
}

/** Puts a list into an object, where it is read as an array. */
export function holdList(object: object, name: string, list: List<unknown>): void {
  Object.defineProperty(object, HELD, { value: list });
  Object.defineProperty(object, name, AS_ARRAY);
}

/** The list that an object holds; absent where a caller made it. */
export function heldList(object: object): List<unknown> | undefined {
  return (object as { readonly [HELD]?: List<unknown> })[HELD];
}

/** Appends an item. */
export function grow<Item>(list: List<Item>, item: Item): Log<Item> {
  const { items, length, chain } = toLog(list);
  if (!chain.isOwner || items.length > length) return rewriteFrom(list, length, [item]);
  items.push(item);
  return { items, length: length + 1, chain, array: undefined };
}

/** Replaces everything from an index on. */
export function rewriteFrom<Item>(
  list: List<Item>,
  from: number,
  items: readonly Item[],
): Log<Item> {
  const log = toLog(list);
  return createLog(log.items.slice(0, from).concat(items), forkOf(log.chain, from));
}

/** Inserts an item at an index. */
export function insertAt<Item>(list: List<Item>, index: number, item: Item): Log<Item> {
  return index >= list.length
    ? grow(list, item)
    : rewriteFrom(list, index, [item, ...itemsFrom(list, index)]);
}

/** The first items of a list. */
export function firstItems<Item>(list: List<Item>, length: number): Log<Item> {
  const { items, chain } = toLog(list);
  return { items, length, chain, array: undefined };
}

/** The items from an index on. */
export function itemsFrom<Item>(list: List<Item>, from: number): readonly Item[] {
  if (from === 0) return toArray(list);
  return isLog(list) ? list.items.slice(from, list.length) : list.slice(from);
}

/** The item at an index; absent where the list has none there. */
export function itemAt<Item>(list: List<Item>, index: number): Item | undefined {
  if (!isLog(list)) return list[index];
  return index < list.length ? list.items[index] : undefined;
}

/** Index of the newest item that passes a test; -1 where none does. */
export function findNewest<Item>(
  list: List<Item>,
  test: (item: Item, index: number) => boolean,
): number {
  const items = isLog(list) ? list.items : list;
  for (let index = list.length - 1; index >= 0; index--) {
    if (test(items[index] as Item, index)) return index;
  }
  return -1;
}

/** Length of the start that two lists have in common. */
export function commonLength<Item>(one: List<Item>, other: List<Item>): number {
  const end = Math.min(one.length, other.length);
  if (one === other) return end;
  let length =
    isLog(one) && isLog(other) ? Math.min(end, inheritedLength(one.chain, other.chain)) : 0;
  while (length < end && itemAt(one, length) === itemAt(other, length)) length += 1;
  return length;
}

/** The index at which two lists diverge, and what follows in each. */
export function partingOf<Item>(one: List<Item>, other: List<Item>) {
  const from = commonLength(one, other);
  const restOf = (list: List<Item>): readonly Item[] =>
    from >= list.length ? NONE : itemsFrom(list, from);
  return { from, before: restOf(one), after: restOf(other) };
}

/** Tests if a list is known to extend another, non-empty one. */
export function hasGrown<Item>(list: List<Item>, start: List<Item>): boolean {
  if (start.length === 0 || list.length <= start.length) return false;
  return isLog(list) && isLog(start) && list.chain === start.chain;
}

/** The items after those of another list that is known to be extended. */
export function grownItems<Item>(list: List<Item>, start: List<Item>): readonly Item[] {
  return hasGrown(list, start) ? itemsFrom(list, start.length) : NONE;
}

/** Tests if two lists end with the same items. */
export function endAlike<Item>(one: List<Item>, other: List<Item>, items: number): boolean {
  if (one === other) return true;
  if (one.length < items || other.length < items) return false;
  for (let back = 1; back <= items; back++) {
    if (itemAt(one, one.length - back) !== itemAt(other, other.length - back)) return false;
  }
  return true;
}

/** Folds a list. A log goes on from the result of the log that it grew out of. */
export function foldOver<Item, Value>(list: List<Item>, fold: Fold<Item, Value>): Value {
  if (!isLog(list)) return foldFrom(list, fold, { known: { length: 0, value: fold.start } });
  const note = noteOf(list.chain, fold);
  if (note.newest.length === list.length) return note.newest.value as Value;
  if (note.other.length === list.length) return note.other.value as Value;
  const isNewer = note.newest.length < list.length;
  const known = isNewer ? note.newest : checkpointOf(note, list.length);
  const value = foldFrom(list, fold, {
    known: known as Folded<Value>,
    checkpoints: note.checkpoints,
  });
  if (isNewer) note.other = note.newest;
  note[isNewer ? 'newest' : 'other'] = { length: list.length, value };
  return value;
}

function isLog<Item>(list: List<Item>): list is Log<Item> {
  return !Array.isArray(list);
}

function createLog<Item>(items: Item[], chain: Chain): Log<Item> {
  return { items, length: items.length, chain, array: undefined };
}

function foldFrom<Item, Value>(
  list: List<Item>,
  fold: Fold<Item, Value>,
  { known, checkpoints }: { readonly known: Folded<Value>; readonly checkpoints?: unknown[] },
): Value {
  const items = isLog(list) ? list.items : list;
  const { length } = list;
  let { value } = known;
  const place = { list, index: known.length };
  while (place.index < length) {
    value = fold.add(value, items[place.index] as Item, place);
    place.index += 1;
    if (checkpoints?.length === place.index / CHECKPOINT_ITEMS - 1) checkpoints.push(value);
  }
  return value;
}

function checkpointOf({ fold, checkpoints }: Pick<Note, 'fold' | 'checkpoints'>, length: number) {
  const nth = Math.min(Math.floor(length / CHECKPOINT_ITEMS), checkpoints.length);
  return nth === 0
    ? { length: 0, value: fold.start }
    : { length: nth * CHECKPOINT_ITEMS, value: checkpoints[nth - 1] };
}

function noteOf(chain: Chain, fold: Fold<never, unknown>): Note {
  let note = findNote(chain, fold);
  if (note === undefined) {
    const start = { length: 0, value: fold.start };
    note = { fold, newest: start, other: start, checkpoints: [] };
    chain.notes.push(note);
  }
  const { fork } = chain;
  if (fork === undefined || note.newest.length >= fork.length) return note;
  // Lists of the other chain may have been folded since.
  const other = findNote(fork.chain, fold);
  const inherited = other && noteUntil(other, fork.length);
  if (inherited !== undefined && inherited.newest.length > note.newest.length) {
    note.newest = inherited.newest;
    note.checkpoints = inherited.checkpoints;
  }
  return note;
}

function findNote({ notes }: Chain, fold: Fold<never, unknown>): Note | undefined {
  for (const note of notes) if (isSameFold(note.fold, fold)) return note;
  return undefined;
}

function isSameFold(one: Fold<never, unknown>, other: Fold<never, unknown>): boolean {
  if (one === other) return true;
  if (one.by === undefined || other.by === undefined || one.by.name !== other.by.name) return false;
  const { rules } = other.by;
  return one.by.rules.every((rule, index) => rule === rules[index]);
}

/** A chain equal to another up to a length; only the two newest forks are remembered. */
function forkOf(chain: Chain, from: number): Chain {
  if (chain.fork !== undefined) chain.fork.chain.fork = undefined;
  const notes = chain.notes.map((note) => noteUntil(note, from));
  return { notes, fork: { chain, length: from }, isOwner: true };
}

function noteUntil(note: Note, length: number): Note {
  const { fold } = note;
  const checkpoints = note.checkpoints.slice(0, Math.floor(length / CHECKPOINT_ITEMS));
  let newest = checkpointOf({ fold, checkpoints }, length);
  for (const known of [note.other, note.newest]) {
    if (known.length <= length && known.length > newest.length) newest = known;
  }
  return { fold, newest, other: newest, checkpoints };
}

function lengthBack(from: Chain, to: Chain): number | undefined {
  let length = Infinity;
  for (let at = from; ; at = at.fork.chain) {
    if (at === to) return length;
    if (at.fork === undefined) return undefined;
    length = Math.min(length, at.fork.length);
  }
}
