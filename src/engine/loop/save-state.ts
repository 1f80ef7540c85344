/** A state of the loop as a text that outlives the program, and back. */

import { being, both, expectForm, having, listOf, optional, text } from '../form/check.ts';
import { messageForm } from '../form/message-form.ts';
import { policyForm } from '../form/policy-form.ts';
import { stateForm } from '../form/state-form.ts';
import { forget } from '../memory/external-memory.ts';
import { readField } from '../read-field.ts';
import { type LoopState } from '../state.ts';

/** What a text holds that `saveState` gave. */
interface Saved {
  readonly version: number;
  readonly state: PlainState;
}

/** A state with lists in the place of sets; what a memory indexes stands in the history. */
type PlainState = Omit<LoopState, 'memory' | 'baseCleared'> & {
  readonly memory?: Omit<NonNullable<LoopState['memory']>, 'store' | 'movedOut'> & {
    readonly movedOut: readonly string[];
  };
  readonly baseCleared?: readonly string[];
};

const KIND = 'state';
const VERSION = 1;

const savedForm = both(
  being('what `saveState` gave', (saved) => readField(saved, 'compaction-bench') === KIND),
  having<Saved>({ version: being(String(VERSION), (version) => version === VERSION) }),
);

const plainForm = both(
  stateForm,
  having<PlainState>({
    policy: policyForm,
    history: listOf(messageForm),
    memory: optional(having<NonNullable<PlainState['memory']>>({ movedOut: listOf(text) })),
    baseCleared: optional(listOf(text)),
  }),
);

const jsonForm = being('something that JSON can hold', (value) => {
  if (typeof value === 'number') return Number.isFinite(value);
  return !(typeof value === 'bigint' || value instanceof Map || value instanceof Set);
});

/**
 * A state as JSON, with its policy and all messages; `restoreState` reads it. Inputs of tools must be JSON themselves.
 * Throws a `TypeError` at what JSON would lose: a number that is not finite, a bigint, a map, a set.
 */
export function saveState(state: LoopState): string {
  expectForm('state', state, stateForm);
  const all = { 'compaction-bench': KIND, version: VERSION, state: toPlain(state) };
  return JSON.stringify(all, (key, value: unknown) => expectForm(key, value, jsonForm));
}

/** The state that was saved as this text. Throws a `TypeError` at any other text. */
export function restoreState(saved: string): LoopState {
  const { state: plain } = expectForm('saved', parse(saved), savedForm);
  const { memory, baseCleared, ...state } = expectForm('state', plain, plainForm);
  return {
    ...state,
    ...(memory && {
      memory: { ...memory, ...forget({ movedOut: new Set(memory.movedOut) }, state.history) },
    }),
    ...(baseCleared && { baseCleared: new Set(baseCleared) }),
  };
}

function toPlain(state: LoopState): PlainState {
  const { policy, limits, overheadTokens, history, phase, health, refusals } = state;
  const { memory, baseCleared } = state;
  return {
    policy,
    limits,
    overheadTokens,
    history,
    phase,
    health,
    refusals,
    ...(memory && { memory: toPlainMemory(memory) }),
    ...(baseCleared && { baseCleared: [...baseCleared] }),
  };
}

function toPlainMemory({ store: _store, movedOut, ...memory }: NonNullable<LoopState['memory']>) {
  return { ...memory, movedOut: [...movedOut] };
}

function parse(saved: string): Saved {
  try {
    return JSON.parse(saved) as Saved;
  } catch (cause) {
    throw new TypeError('Expected `saved` to be what `saveState` gave, got no JSON.', { cause });
  }
}
