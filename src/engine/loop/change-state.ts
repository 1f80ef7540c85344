import type { LoopState } from '../transition.ts';

declare const DRAFT: unique symbol;

/** A state that is still being written: its maker, or whom it hands it to, may change it before anybody else sees it. */
export type StateDraft = { -readonly [Key in keyof LoopState]: LoopState[Key] } & {
  readonly [DRAFT]: true;
};

/** What is otherwise in a state; fields that are left out stay. */
export type StateChanges = Partial<Omit<LoopState, 'policy'>>;

/** The phase in which nothing has been asked for. */
export const WAITING = { state: 'waiting' } as const;

/**
 * A copy of a state, for its maker to change before anybody sees it. Its fields are written out in one place: objects
 * that are spread into one another, step after step, would each have a hidden class of their own, and every look at
 * one would be a search.
 */
export function draftState(state: LoopState): StateDraft {
  const { memory, baseCleared } = state;
  const draft: Omit<StateDraft, typeof DRAFT> = {
    policy: state.policy,
    limits: state.limits,
    overheadTokens: state.overheadTokens,
    history: state.history,
    phase: state.phase,
    health: state.health,
    refusals: state.refusals,
  };
  if (memory !== undefined) draft.memory = memory;
  if (baseCleared !== undefined) draft.baseCleared = baseCleared;
  return draft as StateDraft;
}

/** The state with some of it changed. */
export function changeState(state: LoopState, changes: StateChanges): StateDraft {
  return Object.assign(draftState(state), changes);
}

/** The state in which nothing has been asked for. */
export function settle(state: LoopState): LoopState {
  if (state.phase.state === 'waiting') return state;
  const draft = draftState(state);
  draft.phase = WAITING;
  return draft;
}
