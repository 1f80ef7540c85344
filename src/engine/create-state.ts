import { policyForm } from './check-policy.ts';
import {
  being,
  both,
  expectForm,
  fields,
  having,
  limitsForm,
  listOf,
  messageForm,
  optional,
  stateForm,
  text,
  tokens,
} from './check.ts';
import { HEALTHY } from './guards.ts';
import { firstItems } from './history.ts';
import { forget } from './memory.ts';
import type { Policy } from './policy.ts';
import { changeState, historyOf, type Limits, type LoopState, WAITING } from './state.ts';
import { readField } from './values.ts';

/** Settings of a session before its first message. */
export interface StateOptions {
  /** System prompt and tool definitions, in tokens; 0 where it is absent. */
  readonly overheadTokens?: number;
}

/** The JSON that `saveState` writes. */
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

const optionsForm = fields<StateOptions>({ overheadTokens: optional(tokens) });

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
  if (typeof value === 'bigint' || typeof value === 'function') return false;
  return !(value instanceof Map || value instanceof Set);
});

/** The state before the first message. Throws a `TypeError` at what is no policy, and at limits that are no numbers or that nothing reads. */
export function createState(policy: Policy, limits: Limits, options: StateOptions = {}): LoopState {
  const { overheadTokens = 0 } = expectForm('options', options, optionsForm);
  return {
    policy: expectForm('policy', policy, policyForm),
    limits: expectForm('limits', limits, limitsForm),
    overheadTokens,
    history: [],
    phase: WAITING,
    health: HEALTHY,
    refusals: 0,
    isUnderWay: false,
  };
}

/**
 * A state as JSON, with its policy and all messages; `restoreState` reads it. Inputs of tools must be JSON themselves.
 * Throws a `TypeError` at what JSON would lose: a number that is not finite, a bigint, a function, a map, a set.
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

/**
 * The session without a message and all that followed it, which a person has undone. The program keeps
 * both until the next prompt or compaction, so that they can be brought back. An unknown message undoes
 * nothing. Source: OpenCode release history (section 7), case revert-001.
 */
export function applyRevert(state: LoopState, messageId: string): LoopState {
  const index = state.history.findIndex(({ id }) => id === messageId);
  if (index < 0) return state;
  const history = firstItems(historyOf(state), index);
  const { memory, background } = state;
  return changeState(state, {
    history,
    ...(memory && { memory: forget(memory, history) }),
    // What it summarised is no longer what was said.
    ...(background && index < background.phase.insertAt && { background: undefined }),
  });
}

function toPlain(state: LoopState): PlainState {
  const { policy, limits, overheadTokens, history, phase, health, refusals } = state;
  const { isUnderWay, memory, baseCleared, background } = state;
  return {
    policy,
    limits,
    overheadTokens,
    history,
    phase,
    health,
    refusals,
    isUnderWay,
    ...(memory && { memory: toPlainMemory(memory) }),
    ...(baseCleared && { baseCleared: [...baseCleared] }),
    ...(background && { background }),
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
