import { estimatePart, estimateText, type Weights } from '../estimate.ts';
import { findNewest, type Fold, foldOver, grow, itemAt, type List } from '../history.ts';
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
import { canonicalJson, isRecord } from '../values.ts';

interface Ages {
  readonly steps: number;
  readonly turns: number;
  /** Messages with parts that go once they are old enough, and what came until then. */
  readonly waiting: readonly {
    readonly index: number;
    readonly steps: number;
    readonly turns: number;
  }[];
}

interface Files {
  /** Writes of files that were not read since. */
  readonly unread: readonly (Found & { readonly path: string })[];
  readonly read: readonly Found[];
}

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
  readonly calls: List<Found & { readonly key: string }>;
  readonly repeated: readonly Found[];
} = { calls: [], repeated: [] };

const callsFor = partFold(NO_CALLS, (known, part, index) => {
  // A cleared call is neither the newest of its kind nor an older one.
  if (part.type !== 'tool' || isCleared(part)) return known;
  if (part.state.status === 'error' && isWithout(part, 'input')) return known;
  const { calls, repeated } = known;
  const key = keyOf(storedPart(part));
  const at = findNewest(calls, (call) => call.key === key);
  const older = itemAt(calls, at);
  // One that has not come back has nothing that could go yet.
  const canGo = older !== undefined && (isCompleted(older.part) || hasFailed(older.part));
  return {
    calls: grow(calls, { key, part, index }),
    repeated: canGo ? [older, ...repeated] : repeated,
  };
});

/** Clears calls that were made again. Source: "dynamic context pruning" for OpenCode, `deduplication`. */
const duplicates: Cleanup = {
  find: (history, rules) => foldOver(history, callsFor(rules)).repeated,
  clear: (part, { inputText }, now) =>
    isCompleted(part)
      ? standIn(clearOutput(part, now), part, { what: 'output', now })
      : withoutTexts(part, [], { inputText, now }),
};

const filesFor = partFold<Files>({ unread: [], read: [] }, ({ unread, read }, part, index) => {
  const stored = storedPart(part);
  const readPath = fileReadBy(stored)?.path;
  if (readPath !== undefined) {
    const written = unread.filter(({ path }) => path === readPath);
    if (written.length === 0) return { unread, read };
    return { unread: unread.filter(({ path }) => path !== readPath), read: [...written, ...read] };
  }
  const path = fileWrittenBy(stored)?.path;
  if (path === undefined || part.type !== 'tool' || !hasTexts(part, PATH_KEYS))
    return { unread, read };
  return { unread: [...unread, { path, part, index }], read };
});

/** Takes out writes that were read since. Source: "dynamic context pruning" for OpenCode, `supersedeWrites`. */
const superseded: Cleanup = {
  find: (history, rules) => foldOver(history, filesFor(rules)).read,
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

function keyOf(part: Part): string {
  if (part.type !== 'tool') return '';
  const { input } = part.state;
  const given = isRecord(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => (value ?? null) !== null))
    : input;
  return `${part.tool} ${canonicalJson(given)}`;
}

function hasFailed(part: Part): part is ToolPart {
  return part.type === 'tool' && part.state.status === 'error' && hasTexts(part, []);
}

function hasTexts(part: ToolPart, staying: readonly string[]): boolean {
  const { input } = part.state;
  if (typeof input !== 'object' || input === null || isWithout(part, 'input')) return false;
  return Object.entries(input).some(([name, value]) => isGone(name, value, staying));
}

function findByAge(goes: (part: Part) => boolean): Cleanup['find'] {
  return (history, rules) => {
    const mayGo = (part: Part) => goes(part) && !isProtected(part, rules);
    const { count, unit } = rules.olderThan ?? HOWEVER_NEW;
    const ages = foldOver<Message, Ages>(history, {
      by: { name: 'ages', rules: [goes, rules] },
      start: { steps: 0, turns: 0, waiting: [] },
      add: ({ steps, turns, waiting }, message, { index }) => {
        const { role, parts } = message;
        // Messages older than a summary are not looked at.
        if (isSummary(message)) return { steps, turns, waiting: [] };
        const now = {
          steps: steps + Number(role === 'assistant'),
          turns: turns + Number(isPrompt(message)),
        };
        return { ...now, waiting: parts.some(mayGo) ? [...waiting, { index, ...now }] : waiting };
      },
    });
    const old = ages.waiting.filter((aging) => ages[unit] - aging[unit] >= count);
    return old.flatMap(({ index }) =>
      (itemAt(history, index)?.parts ?? []).filter(mayGo).map((part) => ({ part, index })),
    );
  };
}
