import type { ToolPart } from '../../engine/index.ts';
import { keepIn } from '../lib/collections.ts';
import { tellAll } from './apply-input.ts';
import { type References, sideOf } from './references/reference.ts';
import type { Missed } from './references/watch.ts';
import { type Running, type Stage, viewToSend } from './run-state.ts';
import { beginStep, type Position, replayStep } from './step.ts';
import { countSteps, type Trace, type TraceStep } from './trace.ts';

/** Acts for the agent before a recorded step: it may make steps of its own, or leave the recorded one out. */
export type BeforeStep = (
  running: Running,
  recorded: TraceStep,
  position: Position & { readonly isLastOfTurn: boolean },
) => Stage<'added' | 'dropped' | 'nothing'>;

/** Steps for each recorded one after which a run is given up. */
const STEPS_PER_RECORDED_STEP = 4;
const OWN_ID = 'closed-loop';
/** Source: the golden ratio, as in Fibonacci hashing. */
const MIXER = 0x9e3779b1;

/**
 * An agent that reads lost content again, once, before the step that needs it, and leaves out steps that only read what it still has.
 * Of losses that a real summary might have spared it reads as many as are expected.
 */
export function createScriptedAgent(
  trace: Trace,
  { maxSteps: given, seed }: { readonly maxSteps?: number | undefined; readonly seed: number },
): BeforeStep {
  const maxSteps = given ?? STEPS_PER_RECORDED_STEP * countSteps(trace);
  let added = 0;
  let owed = startOf(trace, seed);

  return function* react(running, recorded, position) {
    const { step, turn, isLastOfTurn } = position;
    const { id: messageId } = recorded.message;
    if (!isLastOfTurn && running.watch.isNeedless(messageId, viewToSend(running))) {
      beginStep(running, recorded, step);
      tellAll(running, running.watch.tellStep(messageId, viewToSend(running)));
      running.told.push({ type: 'step-dropped', step, turn, messageId });
      return 'dropped';
    }
    const addedBefore = added;
    const tried = new Set<ToolPart>();
    const reads = new Map<number, boolean>();
    const isRead = ({ need, chance }: Missed): boolean =>
      keepIn(reads, need.document, () => {
        owed += chance;
        if (owed < 1) return false;
        owed -= 1;
        return true;
      });
    for (;;) {
      const missed = running.watch.findMisses(messageId, viewToSend(running));
      const lost = missed.find(
        (one) => one.need.call !== undefined && !tried.has(one.need.call) && isRead(one),
      )?.need;
      if (lost?.call === undefined || running.halt !== undefined) break;
      tried.add(lost.call);
      if (step + added > maxSteps) {
        running.halt = { state: 'loop', reason: `more than ${maxSteps} steps in a closed loop` };
        break;
      }
      const opensTurn = position.opensTurn && added === addedBefore;
      added += 1;
      const own = toReread(running, lost.call, {
        parentId: recorded.message.parentId,
        references: trace.references(),
      });
      yield* replayStep(running, own, { step, turn, opensTurn, reread: lost });
    }
    return added > addedBefore ? 'added' : 'nothing';
  };
}

/** A place in [0, 1) that differs by session, so that sessions with one loss each read again as many as are expected. */
function startOf({ turns }: Trace, seed: number): number {
  let mixed = seed;
  for (const { outputTokens } of turns.flatMap(({ steps }) => steps)) {
    mixed = Math.imul(mixed ^ outputTokens, MIXER);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 0) / 2 ** 32;
}

function toReread(
  { env, uses }: Running,
  call: ToolPart,
  { parentId, references }: { readonly parentId: string; readonly references: References },
): TraceStep {
  const id = env.newId(OWN_ID);
  const part: ToolPart = { ...call, id: `${id}-call`, callId: id };
  uses?.addCopy(part.id, call.id);
  const side = sideOf(references.partNumbers.get(call.id) ?? 0, 'said');
  return {
    message: {
      id,
      role: 'assistant',
      parts: [part],
      finish: 'tool-calls',
      parentId,
      createdAt: env.now(),
    },
    outputTokens: references.tokensOf(side),
    reasoningTokens: 0,
  };
}
