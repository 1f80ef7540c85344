import { canonicalJson } from '../canonical-json.ts';
import {
  isCleared,
  isCompleted,
  isWithout,
  type Part,
  standIn,
  storedPart,
  type ToolPart,
} from '../message.ts';
import { isRecord } from '../read-field.ts';
import { foldOver } from '../history.ts';
import { type HashedKey, hashKey, itemUnderKey, type KeyTrie, withItem } from '../key-trie.ts';
import { itemsOf, push, type Stack } from '../stack.ts';
import type { Cleanup, Found } from './cleanup.ts';
import { hasFailed, withoutInput } from './failed-inputs.ts';
import { partFold } from './part-fold.ts';
import { clearOutput } from './plan.ts';

/** The newest call of each kind so far, and the older ones of which something can be cleared. */
interface Calls {
  readonly newest: KeyTrie<Found>;
  readonly repeated: Stack<Found> | undefined;
}

const NO_CALLS: Calls = { newest: undefined, repeated: undefined };

/**
 * Clears the outputs of calls that were made again in the same way, and the inputs of those that failed; only the newest
 * of them stays, whatever it gave. Source: the plugin "dynamic context pruning" for OpenCode, `deduplication`.
 */
export const duplicates: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, callsFor(rules)).repeated),
  clear: (part, { inputText }, now) => {
    if (part.type !== 'tool') return part;
    return isCompleted(part)
      ? standIn(clearOutput(part, now), part, { what: 'output', now })
      : withoutInput(part, inputText, now);
  },
};

const callsFor = partFold(NO_CALLS, (calls, part, index) =>
  part.type === 'tool' && counts(part) ? addCall(calls, part, index) : calls,
);

/** The name of a call: its tool and what it was given, whatever the order; fields without a value do not count. */
function keyOf(part: Part): HashedKey {
  if (part.type !== 'tool') return hashKey('');
  const { input } = part.state;
  return hashKey(`${part.tool} ${canonicalJson(isRecord(input) ? withValues(input) : input)}`);
}

/** What is cleared is neither the newest of its kind nor an older one. */
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

/** Of a call that failed, the text that it was given; one that has not come back has nothing yet. */
function canGo({ part }: Found): boolean {
  return isCompleted(part) || hasFailed(part);
}

function withValues(input: object): object {
  const entries = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(entries);
}
