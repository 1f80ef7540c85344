import type { AssistantMessage, ToolPart } from '../../engine/index.ts';
import type { Reference, Source } from './references/reference.ts';
import { type Running, type Stage, viewToSend } from './running.ts';
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
/** Times that one step reads the same part again before it goes on without. */
const MAX_TRIES = 3;
const OWN_ID = 'closed-loop';

/**
 * An agent that reads lost content again before the step that needs it; the same call gives the same output. It skips content that
 * the session itself reads again or that no call brings back, and ends in a loop when the run grows too long.
 */
export function createScriptedAgent(trace: Trace, givenMaxSteps?: number): BeforeStep {
  const calls = callsOf(trace);
  const maxSteps = givenMaxSteps ?? STEPS_PER_RECORDED_STEP * countSteps(trace);
  let added = 0;

  return function* rereadLost(running, recorded, position) {
    const addedBefore = added;
    const tries = new Map<Reference, number>();
    for (;;) {
      const lost = nextLost(running, recorded, tries);
      const call = lost && calls.get(lost.source.partId);
      if (lost === undefined || call === undefined || running.halt !== undefined) break;
      tries.set(lost, (tries.get(lost) ?? 0) + 1);
      if (position.step + added > maxSteps) {
        running.halt = { state: 'loop', reason: `more than ${maxSteps} steps in a closed loop` };
        break;
      }
      const opensTurn = position.opensTurn && added === addedBefore;
      added += 1;
      const step = toReread(running, call, { parentId: recorded.message.parentId, lost });
      yield* replayStep(running, step, { ...position, opensTurn, reread: lost.source });
    }
    return added > addedBefore;
  };
}

function callsOf({ turns }: Trace): ReadonlyMap<string, ToolPart> {
  const parts = turns.flatMap(({ steps }) => steps.flatMap(({ message }) => message.parts));
  return new Map(parts.flatMap((part) => (part.type === 'tool' ? [[part.id, part] as const] : [])));
}

function nextLost(
  running: Running,
  { message }: TraceStep,
  tries: ReadonlyMap<Reference, number>,
): Reference | undefined {
  const missed = running.watch.findMisses(message.id, viewToSend(running));
  return missed.find(
    (reference) =>
      reference.calls === undefined &&
      reference.source.side === 'output' &&
      reference.source.callTokens > 0 &&
      (tries.get(reference) ?? 0) < MAX_TRIES,
  );
}

/** The step that makes a call again. */
function toReread(
  { env, uses }: Running,
  call: ToolPart,
  { parentId, lost }: { readonly parentId: string; readonly lost: Reference },
): TraceStep {
  const id = env.newId(OWN_ID);
  const part: ToolPart = { ...call, id: `${id}-call`, callId: id };
  uses?.addCopy(part.id, call.id);
  return { message: messageOf(id, part, { parentId, createdAt: env.now() }), ...weightOf(lost) };
}

function weightOf({ source }: { readonly source: Source }) {
  return { outputTokens: source.callTokens, reasoningTokens: 0 };
}

function messageOf(
  id: string,
  part: ToolPart,
  rest: Pick<AssistantMessage, 'parentId' | 'createdAt'>,
): AssistantMessage {
  return { id, role: 'assistant', parts: [part], finish: 'tool-calls', ...rest };
}
