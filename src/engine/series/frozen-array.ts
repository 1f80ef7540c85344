import { readItem, readItems, type Version } from './storage.ts';

/** What stands behind a series: nothing but how it is shown, until somebody asks for more. */
interface Target extends Array<unknown> {
  [SHOW]?: (this: readonly unknown[]) => readonly unknown[];
}

interface Asked {
  readonly lists: unknown[];
  readonly versions: (Version<unknown> | undefined)[];
  /** Where the newest of them stands. */
  newest: number;
}

/** Under which a series answers with its version. Nobody outside can ask for it. */
const VERSION = Symbol('version');

/** Under which Node's console asks how a value is to be shown: it asks what stands behind a proxy, not the proxy. */
const SHOW = Symbol.for('nodejs.util.inspect.custom');

const FIRST_DIGIT = '0'.charCodeAt(0);
const LAST_DIGIT = '9'.charCodeAt(0);

/** What answers in the place of an array. Its items are read where they are; they are written out only for who lists its keys. */
class Answers implements ProxyHandler<Target> {
  readonly version: Version<unknown>;

  constructor(version: Version<unknown>) {
    this.version = version;
  }

  get(_: Target, key: string | symbol): unknown {
    if (key === VERSION) return this.version;
    if (key === 'length') return this.version.length;
    const index = indexOf(key);
    if (index === undefined) return Reflect.get(Array.prototype, key);
    return index < this.version.length ? readItem(this.version, index) : undefined;
  }

  has(_: Target, key: string | symbol): boolean {
    const index = indexOf(key);
    return index === undefined ? key in Array.prototype : index < this.version.length;
  }

  getPrototypeOf() {
    return Array.prototype;
  }

  ownKeys(target: Target) {
    return Reflect.ownKeys(written(target, this.version));
  }

  getOwnPropertyDescriptor(target: Target, key: string | symbol) {
    return Reflect.getOwnPropertyDescriptor(written(target, this.version), key);
  }

  isExtensible(target: Target): boolean {
    return Reflect.isExtensible(written(target, this.version));
  }

  preventExtensions(target: Target): boolean {
    return Reflect.preventExtensions(written(target, this.version));
  }

  defineProperty(target: Target, key: string | symbol, descriptor: PropertyDescriptor): boolean {
    return Reflect.defineProperty(written(target, this.version), key, descriptor);
  }

  set(): boolean {
    return false;
  }

  deleteProperty(): boolean {
    return false;
  }
}

/**
 * How many arrays are remembered, a power of two: who compares two states asks about a history and a view of each, and
 * about some that are no series.
 */
const REMEMBERED = 8;

/** The arrays that were asked about last, with their versions, in a ring. */
const asked: Asked = {
  lists: Array.from({ length: REMEMBERED }),
  versions: Array.from({ length: REMEMBERED }),
  newest: 0,
};

/** A version as a frozen array. */
export function toSeries<Item>(version: Version<Item>): readonly Item[] {
  const list = new Proxy(createTarget(), new Answers(version)) as unknown as readonly Item[];
  remember(list, version);
  return list;
}

/** The version behind a series; nothing for any other array. */
export function versionOf<Item>(list: readonly Item[]): Version<Item> | undefined {
  const { lists, versions, newest } = asked;
  for (let back = 0; back < REMEMBERED; back++) {
    const place = (newest - back) & (REMEMBERED - 1);
    if (lists[place] === list) return versions[place] as Version<Item> | undefined;
  }
  const version = (list as { readonly [VERSION]?: Version<Item> })[VERSION];
  remember(list, version);
  return version;
}

/** A literal with one field takes a fifth of the time of an array of a class of its own. */
function createTarget(): Target {
  const target: Target = [];
  target[SHOW] = showItems;
  return target;
}

/** The items as an array that a console can show. */
function showItems(this: readonly unknown[]): readonly unknown[] {
  return Array.from(this);
}

function remember(list: unknown, version: Version<unknown> | undefined): void {
  const place = (asked.newest + 1) & (REMEMBERED - 1);
  asked.lists[place] = list;
  asked.versions[place] = version;
  asked.newest = place;
}

/** Only indices begin with a digit, among what anybody asks an array for. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key === 'symbol') return undefined;
  const first = key.charCodeAt(0);
  if (!(first >= FIRST_DIGIT && first <= LAST_DIGIT)) return undefined;
  const index = Number(key);
  return Number.isInteger(index) ? index : undefined;
}

/** The items as an array of their own, once. */
function written(target: Target, version: Version<unknown>): unknown[] {
  if (Object.isFrozen(target)) return target;
  delete target[SHOW];
  for (const item of readItems(version, 0)) target.push(item);
  return Object.freeze(target) as unknown[];
}
