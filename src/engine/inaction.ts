import type { Move } from './invariants/run.ts';
import { NOTHING_TO_CUT, viewOf } from './loop/decide.ts';
import { canCut } from './pivot/cut.ts';
import { type EngineEvent, type Transition } from './state.ts';

/** Why nothing was done about an overflow. */
export type Inaction =
  /** A summary could stand for nothing but what the policy keeps. */
  | 'nothing-to-cut'
  /** The policy keeps everything. */
  | 'never-pivots'
  /** All of the view are newest messages, which stay. */
  | 'nothing-to-move';

/** Why a move that found an overflow did nothing about it; absent where it did something, or a guard or a rule stopped it. */
export function inactionIn({ next }: Pick<Move, 'next'>): Inaction | undefined {
  const { events, state } = next;
  if (!events.some(({ type }) => type === 'overflow')) return undefined;
  if (isStopped(next) || events.some(isAction)) return undefined;
  if (events.some(({ type }) => type === 'moved-out')) return 'nothing-to-move';
  if (state.policy.cut.keep === 'everything') return 'never-pivots';
  return canCut(viewOf(state), state.policy) ? undefined : 'nothing-to-cut';
}

/** Whether it ends for another reason than that nothing can be cut; a turn may be over. */
function isStopped({ commands }: Transition): boolean {
  return commands.some(
    (command) =>
      command.type === 'stop' && command.reason !== 'finished' && command.detail !== NOTHING_TO_CUT,
  );
}

function isAction(event: EngineEvent): boolean {
  if (event.type === 'pruned') return event.plan.state === 'fire';
  if (event.type === 'moved-out') return event.messageIds.length > 0;
  return event.type === 'marker-queued';
}
