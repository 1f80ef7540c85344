import type { Tally } from './tally.ts';

/** A call as far as it tells whether another one of its id is the same, written down twice. */
export interface IdentifiedCall {
  readonly name: unknown;
  readonly input: unknown;
}

/** The ids of calls where a provider counts them anew in each step, so that one id stands for several. */
export interface CallIds {
  /** The id of a call; one of its own where another call has the recorded one. */
  ofCall(recorded: string, call: IdentifiedCall): string;
  /** The id of the call that a result belongs to: of those with the recorded id, the newest before it. */
  ofResult(recorded: string): string;
}

interface KnownCall extends IdentifiedCall {
  readonly id: string;
}

/** Ids in a recording that is read from its beginning. */
export function createCallIds(tally: Tally): CallIds {
  const known = new Map<string, KnownCall[]>();
  const newest = new Map<string, string>();
  return {
    ofCall: (recorded, { name, input }) => {
      const calls = known.get(recorded) ?? [];
      const same = calls.find((call) => isSame(call, { name, input }));
      const { id } = same ?? {
        id: calls.length === 0 ? recorded : `${recorded}-${calls.length + 1}`,
      };
      if (id !== recorded && same === undefined) tally.repair('repeated id');
      if (same === undefined) known.set(recorded, [...calls, { id, name, input }]);
      newest.set(recorded, id);
      return id;
    },
    ofResult: (recorded) => newest.get(recorded) ?? recorded,
  };
}

function isSame(one: IdentifiedCall, other: IdentifiedCall): boolean {
  if (one.name !== other.name) return false;
  return one.input === other.input || JSON.stringify(one.input) === JSON.stringify(other.input);
}
