import type { LoopState } from './transition.ts';

/** The phase in which nothing has been asked for. */
export const WAITING = { state: 'waiting' } as const;

/** What is otherwise in a state; fields that are left out stay. */
export type StateChanges = Partial<Omit<LoopState, 'policy'>>;

/**
 * The state with some of it changed. Its fields are written out in one place: objects that are spread into one
 * another, step after step, would each have a hidden class of their own, and every look at one would be a search.
 */
export function changeState(state: LoopState, changes: StateChanges): LoopState {
  const { memory = state.memory, baseCleared = state.baseCleared } = changes;
  const next: { -readonly [Key in keyof LoopState]: LoopState[Key] } = {
    policy: state.policy,
    limits: changes.limits ?? state.limits,
    overheadTokens: changes.overheadTokens ?? state.overheadTokens,
    history: changes.history ?? state.history,
    phase: changes.phase ?? state.phase,
    health: changes.health ?? state.health,
    refusals: changes.refusals ?? state.refusals,
  };
  if (memory !== undefined) next.memory = memory;
  if (baseCleared !== undefined) next.baseCleared = baseCleared;
  return next;
}
