import { canonicalJson } from '../canonical-json.ts';
import {
  isCleared,
  isCompleted,
  isStandIn,
  isSummary,
  type Message,
  type ToolPart,
} from '../message.ts';
import { perKey } from '../per-key.ts';
import { foldOver } from '../series/fold.ts';
import { foldTable } from '../series/fold-table.ts';
import { addUnder, itemUnder, type KeyedList, newestUnder } from '../series/keyed-list.ts';
import { itemsOf, push, type Stack } from '../series/stack.ts';
import { type Cleanup, type CleanupPolicy, type Found, isProtected } from './cleanup.ts';
import { hasFailed, withoutInput } from './failed-inputs.ts';
import { clearOutput } from './plan.ts';
import { rememberLast } from './remember-last.ts';

/** A call and the name that all calls share which are the same. */
interface Call {
  readonly key: string;
  readonly found: Found;
}

/** The calls so far, and those that were made again since. */
interface Calls {
  readonly newest: KeyedList<Call>;
  readonly repeated: Stack<Found> | undefined;
}

const NO_CALLS: Calls = { newest: undefined, repeated: undefined };

/**
 * Clears the outputs of calls that were made again in the same way, and the inputs of those that failed; only the newest
 * of them stays, whatever it gave. Source: the plugin "dynamic context pruning" for OpenCode, `deduplication`.
 */
export const duplicates: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, callsFor(rules)).repeated).filter(canGo),
  clear: rememberLast((part, { inputText }, now) => {
    if (isCompleted(part)) return clearOutput(part, now);
    return part.type === 'tool' ? withoutInput(part, inputText ?? '', now) : part;
  }),
};

const callsFor = foldTable(
  ({ protectedTools }: CleanupPolicy) => protectedTools ?? null,
  (rules) => ({
    start: NO_CALLS,
    add: (calls: Calls, message: Message, { index }) =>
      isSummary(message)
        ? NO_CALLS
        : message.parts.reduce(
            (known, part) =>
              part.type === 'tool' && counts(part, rules) ? addCall(known, part, index) : known,
            calls,
          ),
  }),
);

/** What is cleared is neither the newest of its kind nor an older one. */
function counts(part: ToolPart, rules: CleanupPolicy): boolean {
  return !isCleared(part) && !isStandIn(part) && !isProtected(part, rules);
}

function addCall({ newest, repeated }: Calls, part: ToolPart, index: number): Calls {
  const key = keyOf(part);
  const older = itemUnder(
    newest,
    newestUnder(newest, key, (call) => call.key === key),
  );
  return {
    newest: addUnder(newest, key, { key, found: { part, index } }),
    repeated: older === undefined ? repeated : push(repeated, older.found),
  };
}

/** Of a call that failed, the text that it was given; one that has not come back has nothing yet. */
function canGo({ part }: Found): boolean {
  return isCompleted(part) || hasFailed(part);
}

/** The name of a call: its tool and what it was given, whatever the order; fields without a value do not count. */
function keyOf({ tool, state: { input } }: ToolPart): string {
  const given =
    typeof input === 'object' && input !== null ? knownJson(input) : canonicalJson(input);
  return `${tool} ${given}`;
}

const knownJson = perKey((input: object) =>
  canonicalJson(Array.isArray(input) ? input : withValues(input)),
);

function withValues(input: object): object {
  const entries = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(entries);
}
