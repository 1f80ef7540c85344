import { estimatePart, estimateText, type Weights } from '../estimate.ts';
import { itemAt, type List, type Fold, foldOver } from '../history.ts';
import {
  isCleared,
  isCompleted,
  type Message,
  type Part,
  isPrompt,
  isSummary,
  isWithout,
  standIn,
  storedPart,
  type ToolPart,
} from '../message.ts';
import type { CleanupName, CleanupPolicy, Age } from '../prune-policy.ts';
import type { PrunePlan } from '../state.ts';
import { changeParts, planOf, clearOutput } from './plan.ts';
import { fileReadBy, fileWrittenBy, PATH_KEYS } from '../file-calls.ts';
import { hasMedia, withoutMedia } from '../pivot/flatten.ts';
import { canonicalJson, hashUnits, isRecord } from '../values.ts';

/** Items from the newest one back; nothing stands for none. */
interface Stack<Item> {
  readonly item: Item;
  /** All but the newest item. */
  readonly older: Stack<Item> | undefined;
}

/** A persistent map; `undefined` is the empty one. */
export type KeyTrie<Item> = Leaf<Item> | Branch<Item> | undefined;

interface Leaf<Item> {
  readonly hash: number;
  readonly entries: readonly (readonly [key: string, item: Item])[];
}

interface Branch<Item> {
  readonly zero: KeyTrie<Item>;
  readonly one: KeyTrie<Item>;
}

interface HashedKey {
  readonly key: string;
  readonly hash: number;
}

interface Ages {
  readonly steps: number;
  readonly turns: number;
  /** Messages with parts that go once they are old enough, and what came until then. */
  readonly waiting:
    | Stack<{ readonly index: number; readonly steps: number; readonly turns: number }>
    | undefined;
}

interface Files {
  /** Writes by file that were not read since. */
  readonly unread: KeyTrie<Stack<Found> | undefined>;
  readonly read: Stack<Found> | undefined;
}

/** A part that a pass clears, and the index of its message. */
interface Found {
  readonly part: Part;
  readonly index: number;
}

/** A pass that finds useless what it clears, whatever it weighs. */
interface Cleanup {
  /** The parts of a history that go, back to the newest summary; one may be named twice. */
  readonly find: (history: List<Message>, rules: CleanupPolicy) => readonly Found[];
  /** Returns the replacement of one of them. */
  readonly clear: (part: Part, rules: CleanupPolicy, now: number) => Part;
}

const HOWEVER_NEW: Age = { count: 0, unit: 'steps' };

const NO_CALLS: {
  readonly newest: KeyTrie<Found>;
  readonly repeated: Stack<Found> | undefined;
} = { newest: undefined, repeated: undefined };

const callsFor = partFold(NO_CALLS, ({ newest, repeated }, part, index) => {
  // A cleared call is neither the newest of its kind nor an older one.
  if (part.type !== 'tool' || isCleared(part)) return { newest, repeated };
  if (part.state.status === 'error' && isWithout(part, 'input')) return { newest, repeated };
  const key = keyOf(storedPart(part));
  const older = itemUnderKey(newest, key);
  // One that has not come back has nothing that could go yet.
  const canGo = older !== undefined && (isCompleted(older.part) || hasFailed(older.part));
  return {
    newest: withItem(newest, key, { part, index }),
    repeated: canGo ? push(repeated, older) : repeated,
  };
});

/** Clears calls that were made again. Source: "dynamic context pruning" for OpenCode, `deduplication`. */
const duplicates: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, callsFor(rules)).repeated),
  clear: (part, { inputText }, now) =>
    isCompleted(part)
      ? standIn(clearOutput(part, now), part, { what: 'output', now })
      : withoutTexts(part, [], { inputText, now }),
};

const NO_FILES: Files = { unread: undefined, read: undefined };
const filesFor = partFold(NO_FILES, addPart);

/** Takes out writes that were read since. Source: "dynamic context pruning" for OpenCode, `supersedeWrites`. */
const superseded: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, filesFor(rules)).read),
  clear: (part, { inputText }, now) => withoutTexts(part, PATH_KEYS, { inputText, now }),
};

/** Empties inputs of old calls that failed. Source: "dynamic context pruning" for OpenCode, `purgeErrors`. */
const failedInputs: Cleanup = {
  find: findByAge(hasFailed),
  clear: (part, { inputText }, now) => withoutTexts(part, [], { inputText, now }),
};

/** Puts a line of text in the place of old images and documents. Source: MiMo-Code. */
const media: Cleanup = {
  find: findByAge((part) => hasMedia(part) && !isCleared(part)),
  clear: (part, _, now) => {
    const bare = withoutMedia(part);
    return bare.type === 'text' || bare.type === 'tool'
      ? standIn(bare, part, { what: 'media', now })
      : part;
  },
};

/** Takes out old thoughts. Sources: Anthropic's API, clear-thinking-2025-10-15; MiMo-Code; AI SDK. */
const reasoning: Cleanup = {
  find: findByAge((part) => part.type === 'reasoning' && part.text !== ''),
  clear: (part, _, now) =>
    part.type === 'reasoning' ? standIn({ ...part, text: '' }, part, { what: 'text', now }) : part,
};

/** Passes that find useless what they clear, by name. */
export const cleanups: Readonly<Record<CleanupName, Cleanup>> = {
  duplicates,
  superseded,
  'failed-inputs': failedInputs,
  media,
  reasoning,
};

const PROTECTED =
  'task skill todowrite todoread compress batch plan_enter plan_exit write edit'.split(' ');
const FAILED = '[input removed due to failed tool call]';

/**
 * The settings of clean-ups where nothing else is said. Sources: the plugin "dynamic context pruning" for OpenCode, and
 * MiMo-Code for media and reasoning.
 */
export const defaultCleanups: Readonly<Record<CleanupName, CleanupPolicy>> = {
  duplicates: {
    pass: 'duplicates',
    when: 'before-request',
    protectedTools: PROTECTED,
    inputText: FAILED,
  },
  superseded: {
    pass: 'superseded',
    when: 'before-request',
    inputText:
      '[content removed to save context, this is not what was written to the file, but a placeholder]',
  },
  'failed-inputs': {
    pass: 'failed-inputs',
    when: 'before-request',
    protectedTools: PROTECTED,
    olderThan: { count: 4, unit: 'steps' },
    inputText: FAILED,
  },
  media: { pass: 'media', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
  reasoning: { pass: 'reasoning', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
};

/** Plans a clean-up of a history, with the messages after it. */
export function planCleanup(
  history: List<Message>,
  cleaning: {
    readonly rules: CleanupPolicy;
    readonly policy: Weights;
    /** In ms. */
    readonly now: number;
  },
): { readonly plan: PrunePlan; readonly messages: List<Message> } {
  const { rules, policy, now } = cleaning;
  const { find, clear } = cleanups[rules.pass];
  const change = (part: Part) => clear(part, rules, now);
  const found = new Map(find(history, rules).map((one) => [one.part.id, one] as const));
  const chosen = [...found.values()].toSorted((one, other) => other.index - one.index);
  const plan = planOf(
    chosen.map(({ part, index }) => {
      const cleared = change(part);
      // Of an output all of it, as in every prune; of anything else what it is more than what stands there then.
      if (isCompleted(part) && isCleared(cleared))
        return { part, tokens: estimateText(part.state.output, policy) };
      const role = itemAt(history, index)?.role ?? 'assistant';
      const weigh = (one: Part) => estimatePart(one, role, policy);
      return { part, tokens: Math.max(0, weigh(part) - weigh(cleared)) };
    }),
  );
  return { plan, messages: changeParts(history, plan, change) };
}

/** Tests if a clean-up leaves a part alone because of its tool. */
export function isProtected(part: Part, { protectedTools }: CleanupPolicy): boolean {
  return part.type === 'tool' && protectedTools?.includes(part.tool.toLowerCase()) === true;
}

/** The item under a key. */
export function itemUnderKey<Item>(
  trie: KeyTrie<Item>,
  { key, hash }: HashedKey,
): Item | undefined {
  let at = trie;
  for (let bit = 0; at !== undefined && !isLeaf(at); bit++)
    at = isSet(hash, bit) ? at.one : at.zero;
  if (at?.hash !== hash) return undefined;
  return at.entries.find(([known]) => known === key)?.[1];
}

/** A trie with an item under a key, in the place of the one that was there. */
export function withItem<Item>(
  trie: KeyTrie<Item>,
  { key, hash }: HashedKey,
  item: Item,
): KeyTrie<Item> {
  return put(trie, { hash, entries: [[key, item]] }, 0);
}

function withoutTexts(
  part: Part,
  staying: readonly string[],
  { inputText = '', now }: { readonly inputText: string | undefined; readonly now: number },
): Part {
  if (part.type !== 'tool') return part;
  const { state } = part;
  const fields = Object.entries(state.input ?? {}).map(
    ([name, value]) => [name, isGone(name, value, staying) ? inputText : value] as const,
  );
  const input = Array.isArray(state.input)
    ? fields.map(([, value]) => value)
    : Object.fromEntries(fields);
  return standIn({ ...part, state: { ...state, input } }, part, { what: 'input', now });
}

function isGone(name: string, value: unknown, staying: readonly string[]): boolean {
  return typeof value === 'string' && !staying.includes(name);
}

function partFold<Value>(
  start: Value,
  add: (value: Value, part: Part, index: number) => Value,
): (rules: CleanupPolicy) => Fold<Message, Value> {
  return (rules) => ({
    by: { name: 'parts', rules: [add, rules] },
    start,
    add: (value, message, { index }) =>
      isSummary(message)
        ? start
        : message.parts.reduce(
            (known, part) => (isProtected(part, rules) ? known : add(known, part, index)),
            value,
          ),
  });
}

/** A call's tool and input, whatever the order; fields without a value do not count. */
function keyOf(part: Part): HashedKey {
  if (part.type !== 'tool') return hashKey('');
  const { input } = part.state;
  const given = isRecord(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => (value ?? null) !== null))
    : input;
  return hashKey(`${part.tool} ${canonicalJson(given)}`);
}

function hasFailed(part: Part): part is ToolPart {
  return part.type === 'tool' && part.state.status === 'error' && hasTexts(part, []);
}

function hasTexts(part: ToolPart, staying: readonly string[]): boolean {
  const { input } = part.state;
  if (typeof input !== 'object' || input === null || isWithout(part, 'input')) return false;
  return Object.entries(input).some(([name, value]) => isGone(name, value, staying));
}

function addPart(files: Files, part: Part, index: number): Files {
  const stored = storedPart(part);
  const read = fileReadBy(stored);
  if (read !== undefined) return addRead(files, hashKey(read.path));
  const written = fileWrittenBy(stored);
  if (written === undefined || part.type !== 'tool' || !hasTexts(part, PATH_KEYS)) return files;
  const key = hashKey(written.path);
  const older = itemUnderKey(files.unread, key);
  return { unread: withItem(files.unread, key, push(older, { part, index })), read: files.read };
}

function addRead({ unread, read: before }: Files, path: HashedKey): Files {
  const written = itemUnderKey(unread, path);
  if (written === undefined) return { unread, read: before };
  const read = itemsOf(written).reduce(push<Found>, before);
  return { unread: withItem(unread, path, undefined), read };
}

function findByAge(goes: (part: Part) => boolean): Cleanup['find'] {
  return (history, rules) => {
    const mayGo = (part: Part) => goes(part) && !isProtected(part, rules);
    const { count, unit } = rules.olderThan ?? HOWEVER_NEW;
    const ages = foldOver<Message, Ages>(history, {
      by: { name: 'ages', rules: [goes, rules] },
      start: { steps: 0, turns: 0, waiting: undefined },
      add: ({ steps, turns, waiting }, message, { index }) => {
        const { role, parts } = message;
        // Messages older than a summary are not looked at.
        if (isSummary(message)) return { steps, turns, waiting: undefined };
        const now = {
          steps: steps + Number(role === 'assistant'),
          turns: turns + Number(isPrompt(message)),
        };
        return { ...now, waiting: parts.some(mayGo) ? push(waiting, { index, ...now }) : waiting };
      },
    });
    const old = itemsOf(ages.waiting).filter((aging) => ages[unit] - aging[unit] >= count);
    return old.flatMap(({ index }) =>
      (itemAt(history, index)?.parts ?? []).filter(mayGo).map((part) => ({ part, index })),
    );
  };
}

function push<Item>(older: Stack<Item> | undefined, item: Item): Stack<Item> {
  return { item, older };
}

function itemsOf<Item>(stack: Stack<Item> | undefined): readonly Item[] {
  const items: Item[] = [];
  for (let at = stack; at !== undefined; at = at.older) items.push(at.item);
  return items;
}

function hashKey(key: string): HashedKey {
  return { key, hash: hashUnits(key) >>> 0 };
}

function isLeaf<Item>(trie: Leaf<Item> | Branch<Item>): trie is Leaf<Item> {
  return 'hash' in trie;
}

function isSet(hash: number, bit: number): boolean {
  return ((hash >>> bit) & 1) === 1;
}

function put<Item>(trie: KeyTrie<Item>, leaf: Leaf<Item>, bit: number): KeyTrie<Item> {
  if (trie === undefined) return leaf;
  if (!isLeaf(trie)) {
    const { zero, one } = trie;
    return isSet(leaf.hash, bit)
      ? { zero, one: put(one, leaf, bit + 1) }
      : { zero: put(zero, leaf, bit + 1), one };
  }
  if (trie.hash === leaf.hash) {
    const [key] = leaf.entries[0] ?? [];
    const others = trie.entries.filter(([known]) => known !== key);
    return { hash: leaf.hash, entries: [...others, ...leaf.entries] };
  }
  const split: Branch<Item> = isSet(trie.hash, bit)
    ? { zero: undefined, one: trie }
    : { zero: trie, one: undefined };
  return put(split, leaf, bit);
}
