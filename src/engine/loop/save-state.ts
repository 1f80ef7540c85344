/** A state of the loop as a text that outlives the program, and back. */

import { both, expectForm, fail, having, listOf, optional, text } from '../form/check.ts';
import { policyForm } from '../form/policy-form.ts';
import { stateForm } from '../form/state-form.ts';
import { forget } from '../memory/external-memory.ts';
import type { LoopState } from '../transition.ts';

const KIND = 'state';
const VERSION = 1;

/** A state with lists in the place of sets; what a memory indexes stands in the history. */
type PlainState = Omit<LoopState, 'memory' | 'baseCleared'> & {
  readonly memory?: Omit<NonNullable<LoopState['memory']>, 'store' | 'movedOut'> & {
    readonly movedOut: readonly string[];
  };
  readonly baseCleared?: readonly string[];
};

const plainForm = both(
  stateForm,
  having<PlainState>({
    policy: policyForm,
    memory: optional(having<NonNullable<PlainState['memory']>>({ movedOut: listOf(text) })),
    baseCleared: optional(listOf(text)),
  }),
);

/**
 * A state as JSON, with its policy and all messages; `restoreState` reads it. Inputs of tools must be JSON themselves.
 * Throws a `TypeError` at what JSON would lose: a number that is not finite, a bigint, a map, a set.
 */
export function saveState(state: LoopState): string {
  expectForm('state', state, stateForm);
  return JSON.stringify(
    { 'compaction-bench': KIND, version: VERSION, state: toPlain(state) },
    (key, value: unknown) => {
      if (typeof value === 'number' && !Number.isFinite(value))
        fail(key, 'a finite number, which JSON can hold', value);
      if (typeof value === 'bigint' || value instanceof Map || value instanceof Set)
        fail(key, 'something that JSON can hold', value);
      return value;
    },
  );
}

/** The state that was saved as this text. Throws a `TypeError` at any other text. */
export function restoreState(saved: string): LoopState {
  const { memory, baseCleared, ...state } = expectForm('state', readPlain(saved), plainForm);
  return {
    ...state,
    ...(memory && {
      memory: { ...memory, ...forget({ movedOut: new Set(memory.movedOut) }, state.history) },
    }),
    ...(baseCleared && { baseCleared: new Set(baseCleared) }),
  };
}

function toPlain({ memory, baseCleared, ...state }: LoopState): PlainState {
  return {
    ...state,
    ...(memory && { memory: toPlainMemory(memory) }),
    ...(baseCleared && { baseCleared: [...baseCleared] }),
  };
}

function toPlainMemory({ store: _store, movedOut, ...memory }: NonNullable<LoopState['memory']>) {
  return { ...memory, movedOut: [...movedOut] };
}

function readPlain(saved: string): PlainState {
  const value = parse(saved);
  if (typeof value !== 'object' || value === null || !('compaction-bench' in value))
    throw new TypeError('Expected what `saveState` gave, got another text.');
  const { version, state } = value as { readonly version?: unknown; readonly state?: unknown };
  if (version !== VERSION)
    throw new TypeError(
      `Expected a state of version ${VERSION}, got version ${JSON.stringify(version)}.`,
    );
  if (typeof state !== 'object' || state === null)
    throw new TypeError('Expected what `saveState` gave, got a text without a state.');
  return state as PlainState;
}

function parse(saved: string): unknown {
  try {
    return JSON.parse(saved);
  } catch (cause) {
    throw new TypeError('Expected what `saveState` gave, got a text that is no JSON.', { cause });
  }
}
