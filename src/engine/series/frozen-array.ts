import { readItem, readItems, type Version } from './storage.ts';

/** Under which a series answers with its version. Nobody outside can ask for it. */
const VERSION = Symbol('version');

const FIRST_DIGIT = '0'.charCodeAt(0);
const LAST_DIGIT = '9'.charCodeAt(0);

/** What answers in the place of an array. */
interface Handler extends ProxyHandler<unknown[]> {
  version: Version<unknown>;
}

const answers: ProxyHandler<unknown[]> = {
  get: readKey,
  has: hasKey,
  ownKeys: listKeys,
  getOwnPropertyDescriptor: describeKey,
  isExtensible: takesMore,
  preventExtensions: forbidMore,
  defineProperty: defineKey,
  set: refuse,
  deleteProperty: refuse,
};

/** How many arrays are remembered: who compares two states asks about a history and a view of each. */
const REMEMBERED = 4;

/** The arrays that were asked about last, with their versions, in a ring. */
const asked: Asked = {
  lists: Array.from({ length: REMEMBERED }),
  versions: Array.from({ length: REMEMBERED }),
  oldest: 0,
};

interface Asked {
  readonly lists: unknown[];
  readonly versions: (Version<unknown> | undefined)[];
  /** Where the oldest of them stands. */
  oldest: number;
}

/** A version as a frozen array. Its items are read where they are; they are written out only for who lists its keys. */
export function toSeries<Item>(version: Version<Item>): readonly Item[] {
  const handler: Handler = Object.create(answers);
  handler.version = version;
  const list = new Proxy<unknown[]>([], handler) as unknown as readonly Item[];
  remember(list, version);
  return list;
}

/** The version behind a series; nothing for any other array. */
export function versionOf<Item>(list: readonly Item[]): Version<Item> | undefined {
  for (let place = 0; place < REMEMBERED; place++) {
    if (asked.lists[place] === list) return asked.versions[place] as Version<Item> | undefined;
  }
  const version = (list as { readonly [VERSION]?: Version<Item> })[VERSION];
  remember(list, version);
  return version;
}

function remember(list: unknown, version: Version<unknown> | undefined): void {
  const { lists, versions, oldest } = asked;
  lists[oldest] = list;
  versions[oldest] = version;
  asked.oldest = (oldest + 1) % REMEMBERED;
}

function readKey(this: Handler, target: unknown[], key: string | symbol): unknown {
  if (key === VERSION) return this.version;
  if (key === 'length') return this.version.length;
  const index = indexOf(key);
  if (index === undefined) return Reflect.get(target, key);
  return index < this.version.length ? readItem(this.version, index) : undefined;
}

function hasKey(this: Handler, target: unknown[], key: string | symbol): boolean {
  const index = indexOf(key);
  return index === undefined ? Reflect.has(target, key) : index < this.version.length;
}

function listKeys(this: Handler, target: unknown[]) {
  return Reflect.ownKeys(written(target, this.version));
}

function describeKey(this: Handler, target: unknown[], key: string | symbol) {
  return Reflect.getOwnPropertyDescriptor(written(target, this.version), key);
}

function takesMore(this: Handler, target: unknown[]): boolean {
  return Reflect.isExtensible(written(target, this.version));
}

function forbidMore(this: Handler, target: unknown[]): boolean {
  return Reflect.preventExtensions(written(target, this.version));
}

function defineKey(
  this: Handler,
  target: unknown[],
  ...[key, descriptor]: readonly [string | symbol, PropertyDescriptor]
): boolean {
  return Reflect.defineProperty(written(target, this.version), key, descriptor);
}

function refuse(): boolean {
  return false;
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
function written(target: unknown[], version: Version<unknown>): unknown[] {
  if (Object.isFrozen(target)) return target;
  for (const item of readItems(version, 0)) target.push(item);
  return Object.freeze(target) as unknown[];
}
