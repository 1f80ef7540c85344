/** Ways to build the result of a transition. */

import {
  type Command,
  type EngineEvent,
  type LoopInput,
  type LoopState,
  type StopReason,
  type Transition,
} from '../state.ts';

const NO_COMMANDS: readonly Command[] = [];
const NO_EVENTS: readonly EngineEvent[] = [];

/** A transition that asks for nothing. */
export function quiet(state: LoopState): Transition {
  return { state, commands: NO_COMMANDS, events: NO_EVENTS };
}

/** A transition after which there is nothing more to ask. */
export function stop(state: LoopState, reason: StopReason, detail?: string): Transition {
  const command: Command =
    detail === undefined ? { type: 'stop', reason } : { type: 'stop', reason, detail };
  return { state, commands: [command], events: NO_EVENTS };
}

/** What becomes of an input that nothing can be done with. */
export function ignored(state: LoopState, input: LoopInput['type']): Transition {
  return { state, commands: NO_COMMANDS, events: [{ type: 'ignored', input }] };
}

/** A transition with events before its own. */
export function after(events: readonly EngineEvent[], next: Transition): Transition {
  if (events.length === 0) return next;
  const { state, commands } = next;
  return { state, commands, events: [...events, ...next.events] };
}
