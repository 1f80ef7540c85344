import { type FileCall, fileReadBy, fileWrittenBy, PATH_KEYS } from '../file-calls.ts';
import { type Fold, foldOver, itemAt, type List } from '../history.ts';
import {
  isCleared,
  isCompleted,
  isPrompt,
  isSummary,
  isWithout,
  type Message,
  type Part,
  standIn,
  storedPart,
  type ToolPart,
} from '../message.ts';
import { hasMedia, withoutMedia } from '../pivot/flatten.ts';
import type { Age, CleanupPolicy } from '../prune-policy.ts';
import {
  type HashedKey,
  hashKey,
  itemsOf,
  itemUnderKey,
  type KeyTrie,
  push,
  type Stack,
  withItem,
} from '../stack.ts';
import { canonicalJson, isRecord } from '../values.ts';
import { clearOutput } from './plan.ts';

/** A message with parts that go once they are old enough, and what came until then. */
interface Aging {
  readonly index: number;
  readonly steps: number;
  readonly turns: number;
}

interface Ages {
  readonly steps: number;
  readonly turns: number;
  readonly waiting: Stack<Aging> | undefined;
}

interface Calls {
  readonly newest: KeyTrie<Found>;
  readonly repeated: Stack<Found> | undefined;
}

type Unread = Stack<Found> | undefined;

interface Files {
  readonly unread: KeyTrie<Unread>;
  readonly read: Stack<Found> | undefined;
}

type Names = readonly string[];

interface TakingOut {
  readonly staying: Names;
  /** Stands for each of them; nothing where it is absent. */
  readonly inputText: string | undefined;
  readonly now: number;
}

/** A part that a pass clears, and the index of its message. */
export interface Found {
  readonly part: Part;
  readonly index: number;
}

/** A pass that finds useless what it clears, whatever it weighs. */
export interface Cleanup {
  /** The parts of a history that go, back to the newest summary; one may be named twice. */
  readonly find: (history: List<Message>, rules: CleanupPolicy) => readonly Found[];
  /** Returns the replacement of one of them. */
  readonly clear: (part: Part, rules: CleanupPolicy, now: number) => Part;
}

const HOWEVER_NEW: Age = { count: 0, unit: 'steps' };

const NO_CALLS: Calls = { newest: undefined, repeated: undefined };

const NOTHING_STAYS: readonly string[] = [];

const callsFor = partFold(NO_CALLS, (calls, part, index) =>
  part.type === 'tool' && counts(part) ? addCall(calls, part, index) : calls,
);

/** Clears calls that were made again in the same way; the newest stays. Source: "dynamic context pruning" for OpenCode, `deduplication`. */
export const duplicates: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, callsFor(rules)).repeated),
  clear: (part, { inputText }, now) => {
    if (part.type !== 'tool') return part;
    return isCompleted(part)
      ? standIn(clearOutput(part, now), part, { what: 'output', now })
      : withoutInput(part, inputText, now);
  },
};

const NO_FILES: Files = { unread: undefined, read: undefined };

const filesFor = partFold(NO_FILES, addPart);

/** Takes out what was written to files that were read since. Source: "dynamic context pruning" for OpenCode, `supersedeWrites`. */
export const superseded: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, filesFor(rules)).read),
  clear: (part, { inputText }, now) =>
    part.type === 'tool' ? withoutTexts(part, { staying: PATH_KEYS, inputText, now }) : part,
};

/** Takes the texts out of the inputs of old calls that failed. Source: "dynamic context pruning" for OpenCode, `purgeErrors`. */
export const failedInputs: Cleanup = {
  find: findByAge(hasFailed),
  clear: (part, { inputText }, now) =>
    part.type === 'tool' ? withoutInput(part, inputText, now) : part,
};

/** Puts a line of text in the place of old images and documents. Source: MiMo-Code. */
export const media: Cleanup = {
  find: findByAge(showsMedia),
  clear: (part, _, now) => {
    const bare = withoutMedia(part);
    return bare.type === 'text' || bare.type === 'tool'
      ? standIn(bare, part, { what: 'media', now })
      : part;
  },
};

/** Takes out old thoughts. Sources: Anthropic's API, clear-thinking-2025-10-15; MiMo-Code; `pruneMessages` of the AI SDK. */
export const reasoning: Cleanup = {
  find: findByAge(isThought),
  clear: (part, _, now) =>
    part.type === 'reasoning' ? standIn({ ...part, text: '' }, part, { what: 'text', now }) : part,
};

/** Tests if a clean-up leaves a part alone because of its tool. */
export function isProtected(part: Part, { protectedTools }: CleanupPolicy): boolean {
  return part.type === 'tool' && protectedTools?.includes(part.tool.toLowerCase()) === true;
}

function withoutInput(part: ToolPart, inputText: string | undefined, now: number): Part {
  return withoutTexts(part, { staying: NOTHING_STAYS, inputText, now });
}

function withoutTexts(part: ToolPart, { staying, inputText = '', now }: TakingOut): Part {
  const { state } = part;
  if (typeof state.input !== 'object' || state.input === null) return part;
  const fields = Object.entries(state.input).map(
    ([name, value]) => [name, isGone(name, value, staying) ? inputText : value] as const,
  );
  const input = Array.isArray(state.input)
    ? fields.map(([, value]) => value)
    : Object.fromEntries(fields);
  return standIn({ ...part, state: { ...state, input } }, part, { what: 'input', now });
}

function isGone(name: string, value: unknown, staying: Names): boolean {
  return typeof value === 'string' && !staying.includes(name);
}

/** A fold over the parts that a clean-up may touch; it begins anew behind a summary. */
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

function counts(part: ToolPart): boolean {
  return !isCleared(part) && !(part.state.status === 'error' && isWithout(part, 'input'));
}

function addCall({ newest, repeated }: Calls, part: ToolPart, index: number): Calls {
  const key = keyOf(storedPart(part));
  const older = itemUnderKey(newest, key);
  return {
    newest: withItem(newest, key, { part, index }),
    repeated: older !== undefined && canGo(older) ? push(repeated, older) : repeated,
  };
}

/** A call's tool and input, whatever the order; fields without a value do not count. */
function keyOf(part: Part): HashedKey {
  if (part.type !== 'tool') return hashKey('');
  const { input } = part.state;
  return hashKey(`${part.tool} ${canonicalJson(isRecord(input) ? withValues(input) : input)}`);
}

function withValues(input: object): object {
  const entries = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(entries);
}

function canGo({ part }: Found): boolean {
  return isCompleted(part) || hasFailed(part);
}

function hasFailed(part: Part): part is ToolPart {
  return part.type === 'tool' && part.state.status === 'error' && hasTexts(part, NOTHING_STAYS);
}

function hasTexts(part: ToolPart, staying: Names): boolean {
  const { input } = part.state;
  if (typeof input !== 'object' || input === null || isWithout(part, 'input')) return false;
  return Object.entries(input).some(([name, value]) => isGone(name, value, staying));
}

function addPart(files: Files, part: Part, index: number): Files {
  const stored = storedPart(part);
  const read = toKey(fileReadBy(stored));
  if (read !== undefined) return addRead(files, read);
  const written = toKey(fileWrittenBy(stored));
  if (written === undefined || part.type !== 'tool' || !hasTexts(part, PATH_KEYS)) return files;
  const older = itemUnderKey(files.unread, written);
  const unread = withItem(files.unread, written, push(older, { part, index }));
  return { unread, read: files.read };
}

function toKey(call: FileCall | undefined): HashedKey | undefined {
  return call && hashKey(call.path);
}

function addRead({ unread, read: before }: Files, path: HashedKey): Files {
  const written = itemUnderKey(unread, path);
  if (written === undefined) return { unread, read: before };
  let read = before;
  for (const found of itemsOf(written)) read = push(read, found);
  return { unread: withItem(unread, path, undefined), read };
}

function findByAge(goes: (part: Part) => boolean): Cleanup['find'] {
  const mayGo = (part: Part, rules: CleanupPolicy) => goes(part) && !isProtected(part, rules);
  return (history, rules) => {
    const { count, unit } = rules.olderThan ?? HOWEVER_NEW;
    const ages = foldOver(history, {
      by: { name: 'ages', rules: [goes, rules] },
      ...agesOf((part) => mayGo(part, rules)),
    });
    const old = itemsOf(ages.waiting).filter((aging) => ages[unit] - aging[unit] >= count);
    return old.flatMap(({ index }): readonly Found[] => {
      const parts = itemAt(history, index)?.parts ?? [];
      return parts.filter((part) => mayGo(part, rules)).map((part) => ({ part, index }));
    });
  };
}

function agesOf(goes: (part: Part) => boolean): Fold<Message, Ages> {
  return {
    start: { steps: 0, turns: 0, waiting: undefined },
    add: ({ steps, turns, waiting }, message, { index }) => {
      // Messages older than a summary are not looked at.
      if (isSummary(message)) return { steps, turns, waiting: undefined };
      const now = {
        steps: isStep(message) ? steps + 1 : steps,
        turns: isPrompt(message) ? turns + 1 : turns,
      };
      return {
        ...now,
        waiting: message.parts.some(goes) ? push(waiting, { index, ...now }) : waiting,
      };
    },
  };
}

function isStep({ role }: Message): boolean {
  return role === 'assistant';
}

/** Of a cleared output, nothing is sent that was attached to it. */
function showsMedia(part: Part): boolean {
  return hasMedia(part) && !isCleared(part);
}

function isThought(part: Part): boolean {
  return part.type === 'reasoning' && part.text !== '';
}
