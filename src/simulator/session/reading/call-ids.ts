import { keepIn } from '../../lib/collections.ts';
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

/** Ids in a recording that is read from its beginning. */
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

/** What two calls that are one have in common. */
function keyOf({ name, input }: IdentifiedCall): string {
  return `${JSON.stringify(name)} ${JSON.stringify(input)}`;
}
