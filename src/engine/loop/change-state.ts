import { grow, heldList, holdList, type List, type Log, toLog } from '../history.ts';
import type { Message } from '../message.ts';
import type { LoopState } from '../transition.ts';

declare const DRAFT: unique symbol;

type Settings = Omit<LoopState, 'history'>;

/** A state that is still being written; nobody else has seen it. */
export type StateDraft = { -readonly [Key in keyof Settings]: Settings[Key] } & {
  readonly history: readonly Message[];
  readonly [DRAFT]: true;
};

/** Changed fields of a state; absent ones stay. */
export type StateChanges = Partial<Omit<Settings, 'policy'>> & {
  readonly history?: List<Message>;
};

/** The phase in which nothing has been asked for. */
export const WAITING = { state: 'waiting' } as const;

/** The history of a state as a log. */
export function historyOf(state: LoopState): Log<Message> {
  return toLog((heldList(state) as List<Message> | undefined) ?? state.history);
}

/** A copy of a state that may still be changed. */
export function draftState(
  state: LoopState,
  history: List<Message> = historyOf(state),
): StateDraft {
  const { memory, baseCleared } = state;
  // Written out field by field: states that are spread into one another each get a hidden class of their own.
  const draft: { -readonly [Key in keyof Settings]: Settings[Key] } = {
    policy: state.policy,
    limits: state.limits,
    overheadTokens: state.overheadTokens,
    phase: state.phase,
    health: state.health,
    refusals: state.refusals,
  };
  holdList(draft, 'history', history);
  if (memory !== undefined) draft.memory = memory;
  if (baseCleared !== undefined) draft.baseCleared = baseCleared;
  return draft as StateDraft;
}

/** A copy of a state with another message at the end of its history. */
export function withMessage(state: LoopState, message: Message): StateDraft {
  return draftState(state, grow(historyOf(state), message));
}

/** A copy of a state with some fields changed. */
export function changeState(state: LoopState, { history, ...changes }: StateChanges): StateDraft {
  return Object.assign(draftState(state, history), changes);
}

/** The state in which nothing has been asked for. */
export function settle(state: LoopState): LoopState {
  if (state.phase.state === 'waiting') return state;
  const draft = draftState(state);
  draft.phase = WAITING;
  return draft;
}
