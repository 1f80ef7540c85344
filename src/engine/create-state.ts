import { expectPolicy, expectLimits, expectMessage, expectState } from './check.ts';
import { expectFields, expectKind, expectOnlyFields, refuse } from './expect.ts';
import { HEALTHY } from './guards.ts';
import { firstItems } from './history.ts';
import { forget } from './memory.ts';
import type { Policy } from './policy.ts';
import { changeState, historyOf, type LoopState, WAITING } from './state.ts';
import type { Limits } from './usable.ts';
import { readField } from './values.ts';

/** Settings of a session before its first message. */
export interface StateOptions {
  /** System prompt and tool definitions, in tokens; 0 where it is absent. */
  readonly overheadTokens?: number;
}

type PlainState = Omit<LoopState, 'memory' | 'baseCleared'> & {
  readonly memory?: Omit<NonNullable<LoopState['memory']>, 'store' | 'movedOut'> & {
    readonly store?: undefined;
    readonly movedOut: readonly string[];
  };
  readonly baseCleared?: readonly string[];
};

const KIND = 'state';
const VERSION = 1;

/** The state before the first message. Throws a `TypeError` at what is no policy, and at limits that nothing reads. */
export function createState(policy: Policy, limits: Limits, options: StateOptions = {}): LoopState {
  expectOnlyFields('options', options, { overheadTokens: 'tokens?' });
  return {
    policy: expectPolicy('policy', policy),
    limits: expectLimits('limits', limits),
    overheadTokens: options.overheadTokens ?? 0,
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
  expectState(state);
  const all = { 'compaction-bench': KIND, version: VERSION, state: toPlain(state) };
  return JSON.stringify(all, (key, value: unknown) =>
    isLostInJson(value) ? refuse(key, 'something that JSON can hold', value) : value,
  );
}

/** The state that was saved as this text. Throws a `TypeError` at any other text. */
export function restoreState(saved: string): LoopState {
  const { memory, baseCleared, ...state } = parse(saved);
  return {
    ...state,
    ...(memory && {
      memory: { ...memory, ...forget({ movedOut: new Set(memory.movedOut) }, state.history) },
    }),
    ...(baseCleared && { baseCleared: new Set(baseCleared) }),
  };
}

/**
 * The session without a message and all that followed it, which a person has undone. The program keeps both until the
 * next prompt or compaction, so that they can be brought back. An unknown message undoes nothing. Source: OpenCode
 * release history (section 7), case revert-001.
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

function toPlain({ memory, baseCleared, ...state }: LoopState): PlainState {
  return {
    ...state,
    ...(memory && { memory: { ...memory, store: undefined, movedOut: [...memory.movedOut] } }),
    ...(baseCleared && { baseCleared: [...baseCleared] }),
  };
}

function isLostInJson(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value === 'bigint' || typeof value === 'function') return true;
  return value instanceof Map || value instanceof Set;
}

function parse(saved: string): PlainState {
  let read: unknown;
  try {
    read = JSON.parse(saved);
  } catch (cause) {
    throw new TypeError('Expected `saved` to be what `saveState` gave, got no JSON.', { cause });
  }
  if (readField(read, 'compaction-bench') !== KIND) refuse('saved', 'what `saveState` gave', read);
  const version = readField(read, 'version');
  if (version !== VERSION) refuse('saved.version', String(VERSION), version);
  return checkedPlain(readField(read, 'state') as LoopState & PlainState);
}

function checkedPlain(state: LoopState & PlainState): PlainState {
  expectState(state);
  expectPolicy('state.policy', state.policy);
  for (const [index, message] of state.history.entries())
    expectMessage(`state.history[${index}]`, message);
  if (state.memory) expectFields('state.memory', state.memory, { movedOut: 'list' });
  if (state.baseCleared) expectKind('state.baseCleared', state.baseCleared, 'list');
  return state;
}
