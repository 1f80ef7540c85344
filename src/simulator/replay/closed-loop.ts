import type { ToolPart } from '../../engine/index.ts';
import { type Reference, type References, sideOf } from './references/reference.ts';
import { type Running, type Stage, viewToSend } from './run-state.ts';
import { type Position, replayStep } from './step.ts';
import { countSteps, type Trace, type TraceStep } from './trace.ts';

/** Acts for the agent before a recorded step; returns true if the agent made a step of its own. */
export type BeforeStep = (
  running: Running,
  recorded: TraceStep,
  position: Position,
) => Stage<boolean>;

/** Steps for each recorded one after which a run is given up. */
const STEPS_PER_RECORDED_STEP = 4;
const OWN_ID = 'closed-loop';

/** An agent that reads lost content again, once, before the step that needs it. */
export function createScriptedAgent(trace: Trace, givenMaxSteps?: number): BeforeStep {
  const maxSteps = givenMaxSteps ?? STEPS_PER_RECORDED_STEP * countSteps(trace);
  let added = 0;

  return function* rereadLost(running, recorded, position) {
    const addedBefore = added;
    const tried = new Set<ToolPart>();
    for (;;) {
      const lost = nextLost(running, recorded, tried);
      if (lost?.call === undefined || running.halt !== undefined) break;
      tried.add(lost.call);
      if (position.step + added > maxSteps) {
        running.halt = { state: 'loop', reason: `more than ${maxSteps} steps in a closed loop` };
        break;
      }
      const opensTurn = position.opensTurn && added === addedBefore;
      added += 1;
      const step = toReread(running, lost.call, {
        parentId: recorded.message.parentId,
        references: trace.references(),
      });
      yield* replayStep(running, step, { ...position, opensTurn, reread: lost });
    }
    return added > addedBefore;
  };
}

function nextLost(
  running: Running,
  { message }: TraceStep,
  tried: ReadonlySet<ToolPart>,
): Reference | undefined {
  const missed = running.watch.findMisses(message.id, viewToSend(running));
  return missed.find(({ call }) => call !== undefined && !tried.has(call));
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
