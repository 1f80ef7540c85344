import { keepIn } from '../../lib/collections.ts';
import type { RecordedCall } from './dialogue.ts';
import { type DraftPart, type Fields, type Tally, toId } from './fields.ts';
import type { Recording, ToldResult } from './recording.ts';
import type { DraftMessage } from './transcript.ts';

/** Calls of a recording with their results, in whatever order they come. */
export type Calls = ReturnType<typeof createCalls>;

/** A recording read from a stream of pieces, in which nothing tells where a step ends. */
export type StepStream = ReturnType<typeof createStepStream>;

/** Creates the calls of a recording; the first or the last of several results holds. */
export function createCalls(recording: Recording, holding: 'first' | 'last' = 'first') {
  const { tally } = recording;
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  const answeredIds = new Set<string>();
  const pending = new Map<string, ToldResult>();
  const complete = (id: string) => {
    const result = pending.get(id);
    if (result === undefined || holding === 'last' || !calledIds.has(id)) return;
    pending.delete(id);
    recording.readResult(result);
  };
  return {
    /** Adds a call to a step; a repeated one is counted. */
    add: (step: DraftMessage, { callId, tool, input }: RecordedCall) => {
      const id = callId && ids.ofCall(callId, { name: tool, input });
      if (id !== undefined && calledIds.has(id)) return tally.drop('repeated tool call');
      recording.addCall(step, { callId: id, tool, input });
      if (id === undefined) return;
      calledIds.add(id);
      complete(id);
    },
    /** Notes a result of a call; a repeated one is counted. */
    finish: (result: ToldResult) => {
      const recorded = toId(result.id);
      if (recorded === undefined) return tally.drop('tool result without a call');
      const id = ids.ofResult(recorded);
      const isRepeated = answeredIds.has(id);
      if (isRepeated) tally.drop('repeated tool result');
      if (!isRepeated || holding === 'last') pending.set(id, { ...result, id });
      answeredIds.add(id);
      complete(id);
    },
    hasResult: (id: unknown) => answeredIds.has(ids.ofResult(toId(id) ?? '')),
    /** Completes the calls, once nothing follows; results without a call are counted. */
    end: () => {
      for (const result of pending.values()) recording.readResult(result);
    },
  };
}

/** Creates unique call ids for providers that restart their ids in each step. */
export function createCallIds(tally: Tally) {
  type Call = Readonly<Record<'name' | 'input', unknown>>;
  const keyOf = ({ name, input }: Call) => JSON.stringify([name, input]);
  const firstCalls = new Map<string, Call>();
  const idsOf = new Map<string, Map<string, string>>();
  const newest = new Map<string, string>();
  return {
    /** The recorded id, or a new one if another call has it. */
    ofCall: (recorded: string, call: Call) => {
      const first = firstCalls.get(recorded);
      let id = recorded;
      // Most ids stand for one call, which needs no key.
      if (first === undefined) firstCalls.set(recorded, call);
      else {
        const ids = keepIn(idsOf, recorded, () => new Map([[keyOf(first), recorded]]));
        id = keepIn(ids, keyOf(call), () => {
          tally.repair('repeated id');
          return `${recorded}-${ids.size + 1}`;
        });
      }
      newest.set(recorded, id);
      return id;
    },
    /** The id of the newest call with the recorded id. */
    ofResult: (recorded: string) => newest.get(recorded) ?? recorded,
  };
}

/** Creates a stream into a recording. */
export function createStepStream(recording: Recording) {
  const callIds = new Set<string>();
  const openIds = new Set<string>();
  let step: DraftMessage | undefined;
  let takenCount = 0;
  const stepAt = (createdAt: number) => {
    step ??= recording.addStep({ createdAt, parts: [] });
    return step;
  };
  return {
    /** The step that the next piece belongs to; absent if that piece begins one. */
    openStep: () => step,
    addPrompt: (prompt: Omit<DraftMessage, 'role'>) => {
      step = undefined;
      openIds.clear();
      recording.addPrompt(prompt);
    },
    write: (part: DraftPart, createdAt: number) => {
      stepAt(createdAt).parts.push(part);
    },
    /** Goes on with the last part of the open step, if it is of the same type. */
    extend: (part: { type: 'text' | 'reasoning'; text: string }, createdAt: number) => {
      const { parts } = stepAt(createdAt);
      const last = parts.at(-1);
      if (last?.type !== part.type) parts.push(part);
      else parts[parts.length - 1] = { ...last, text: last.text + part.text };
    },
    /** Adds a call; one with a known id is left out, and one without an id counted. */
    readCall: (call: Fields, createdAt: number) => {
      const id = toId(call['id']);
      if (id === undefined) recording.tally.drop('tool call without an id');
      else if (!callIds.has(id)) {
        callIds.add(id);
        openIds.add(id);
        recording.readCall(stepAt(createdAt), call);
      }
    },
    readResult: (result: ToldResult) => {
      const id = toId(result.id);
      if (id === undefined) return recording.tally.drop('tool result without a call');
      recording.readResult(result);
      openIds.delete(id);
      if (openIds.size === 0) step = undefined;
    },
    takeSteps: () => {
      const steps = recording.drafts.slice(takenCount).filter(({ role }) => role === 'assistant');
      takenCount = recording.drafts.length;
      return steps;
    },
  };
}
