import { changeState, historyOf, type LoopState } from '../state.ts';
import { forget } from '../memory/external-memory.ts';
import { firstItems } from '../history.ts';

/**
 * The session without a message and all that followed it, which a person has undone. The program keeps
 * both until the next prompt or compaction, so that they can be brought back. An unknown message undoes
 * nothing. Source: OpenCode release history (section 7), case revert-001.
 */
export function applyRevert(state: LoopState, messageId: string): LoopState {
  const index = state.history.findIndex(({ id }) => id === messageId);
  if (index < 0) return state;
  const history = firstItems(historyOf(state), index);
  const { memory } = state;
  return changeState(
    state,
    memory === undefined ? { history } : { history, memory: forget(memory, history) },
  );
}
