/** Calls and results of recorders that repeat them, or whose providers restart their ids. */

import { keepIn } from '../../lib/collections.ts';
import type { RecordedCall } from './dialogue.ts';
import { toId } from './lenient.ts';
import type { Recording, ToldResult } from './recording.ts';
import type { Tally } from './tally.ts';
import type { DraftMessage } from './transcript.ts';

/** Calls of a recording with their results, which may also come first. */
export interface Calls {
  /** Adds a call to a step; a repeated one is counted. */
  add(step: DraftMessage, call: RecordedCall): void;
  /** Completes a call by the first of its results; the others are counted. */
  finish(result: ToldResult): void;
  /** Tests if a call has a result. */
  hasResult(id: unknown): boolean;
  /** Counts results without a call, once nothing follows. */
  end(): void;
}

/** The fields that identify repeated records of one call. */
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

/** Creates the calls of a recording. */
export function createCalls(recording: Recording): Calls {
  const { tally } = recording;
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  const answeredIds = new Set<string>();
  const early = new Map<string, ToldResult>();
  return {
    add: (step, { callId, tool, input }) => {
      const id = callId && ids.ofCall(callId, { name: tool, input });
      if (id !== undefined && calledIds.has(id)) return tally.drop('repeated tool call');
      recording.addCall(step, { callId: id, tool, input });
      if (id === undefined) return;
      calledIds.add(id);
      const result = early.get(id);
      early.delete(id);
      if (result !== undefined) recording.readResult(result);
    },
    finish: (result) => {
      const recorded = toId(result.id);
      if (recorded === undefined) return tally.drop('tool result without a call');
      const id = ids.ofResult(recorded);
      if (answeredIds.has(id)) return tally.drop('repeated tool result');
      answeredIds.add(id);
      if (calledIds.has(id)) recording.readResult({ ...result, id });
      else early.set(id, { ...result, id });
    },
    hasResult: (id) => answeredIds.has(ids.ofResult(toId(id) ?? '')),
    end: () => tally.drop('tool result without a call', early.size),
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

/** A key that repeated records of one call share. */
function keyOf({ name, input }: IdentifiedCall): string {
  return `${JSON.stringify(name)} ${JSON.stringify(input)}`;
}
