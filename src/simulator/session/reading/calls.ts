/** Calls and results of recorders that repeat them, or whose providers restart their ids. */

import { keepIn } from '../../lib/collections.ts';
import type { RecordedCall } from './dialogue.ts';
import { toId } from './lenient.ts';
import type { Recording, ToldResult } from './recording.ts';
import type { Tally } from './tally.ts';
import type { DraftMessage } from './transcript.ts';

/** Calls of a recording with their results, in whatever order they come. */
export interface Calls {
  /** Adds a call to a step; a repeated one is counted. */
  add(step: DraftMessage, call: RecordedCall): void;
  /** Notes a result of a call; a repeated one is counted. */
  finish(result: ToldResult): void;
  hasResult(id: unknown): boolean;
  /** Completes the calls, once nothing follows; results without a call are counted. */
  end(): void;
}

interface IdentifiedCall {
  readonly name: unknown;
  readonly input: unknown;
}

/** Unique call ids for providers that restart their ids in each step. */
export interface CallIds {
  /** The recorded id, or a new one if another call has it. */
  ofCall(recorded: string, call: IdentifiedCall): string;
  /** The id of the newest call with the recorded id. */
  ofResult(recorded: string): string;
}

/** Creates the calls of a recording; of several results of a call, the first or the last holds. */
export function createCalls(recording: Recording, holding: 'first' | 'last' = 'first'): Calls {
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
    add: (step, { callId, tool, input }) => {
      const id = callId && ids.ofCall(callId, { name: tool, input });
      if (id !== undefined && calledIds.has(id)) return tally.drop('repeated tool call');
      recording.addCall(step, { callId: id, tool, input });
      if (id === undefined) return;
      calledIds.add(id);
      complete(id);
    },
    finish: (result) => {
      const recorded = toId(result.id);
      if (recorded === undefined) return tally.drop('tool result without a call');
      const id = ids.ofResult(recorded);
      const isRepeated = answeredIds.has(id);
      if (isRepeated) tally.drop('repeated tool result');
      if (!isRepeated || holding === 'last') pending.set(id, { ...result, id });
      answeredIds.add(id);
      complete(id);
    },
    hasResult: (id) => answeredIds.has(ids.ofResult(toId(id) ?? '')),
    end: () => {
      for (const result of pending.values()) recording.readResult(result);
    },
  };
}

/** Creates the ids of a recording. */
export function createCallIds(tally: Tally): CallIds {
  const firstCalls = new Map<string, IdentifiedCall>();
  const idsOf = new Map<string, Map<string, string>>();
  const newest = new Map<string, string>();
  const idAmong = (recorded: string, first: IdentifiedCall, call: IdentifiedCall) => {
    const ids = keepIn(idsOf, recorded, () => new Map([[keyOf(first), recorded]]));
    return keepIn(ids, keyOf(call), () => {
      tally.repair('repeated id');
      return `${recorded}-${ids.size + 1}`;
    });
  };
  return {
    ofCall: (recorded, { name, input }) => {
      const call = { name, input };
      const first = firstCalls.get(recorded);
      // Most ids stand for one call, which needs no key.
      if (first === undefined) firstCalls.set(recorded, call);
      const id = first === undefined ? recorded : idAmong(recorded, first, call);
      newest.set(recorded, id);
      return id;
    },
    ofResult: (recorded) => newest.get(recorded) ?? recorded,
  };
}

function keyOf({ name, input }: IdentifiedCall): string {
  return `${JSON.stringify(name)} ${JSON.stringify(input)}`;
}
