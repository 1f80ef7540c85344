import { keepIn } from '../../keep-in.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import type { Counters } from '../../tokens/counters.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import { createOutcomes, type Outcomes } from './outcomes.ts';
import { compileOptionsFor, type Prepared, prepareRuns } from './prepare-runs.ts';

/** A session as runs against different models need it, each trace and each control made once. */
export interface PreparedSession {
  against(model: ModelProfile): Prepared;
  /** Of its runs so far. */
  readonly outcomes: Outcomes;
}

/** Counts tokens with the tokenizer of that name. */
export type CountWith = (tokenizer: string) => CountText;

const ANY_SEED = 1;

/** Prepares a session for many runs; nothing is done before it is needed. */
export function prepareSession(session: Session, countWith: CountWith): PreparedSession {
  const traces = new Map<string, Trace>();
  const prepared = new Map<string, Prepared>();
  const traceFor = ({ id }: ModelProfile) => {
    const { name, evidence } = tokenizerOf(id);
    return keepIn(traces, `${name} ${evidence}`, () =>
      compileSession(session, compileOptionsFor(id, countWith(name))),
    );
  };
  return {
    against: (model) =>
      keepIn(prepared, keyOf(model), () =>
        prepareRuns(() => traceFor(model), { model, seed: ANY_SEED }),
      ),
    outcomes: createOutcomes(),
  };
}

/** What counts for these models, with every tokenizer that they need. */
export async function loadCounts(
  counters: Counters,
  modelIds: ReadonlySet<string>,
): Promise<CountWith> {
  const counts = new Map<string, CountText>();
  for (const id of modelIds) counts.set(tokenizerOf(id).name, await counters.of(id));
  return (name) => {
    const count = counts.get(name);
    if (count === undefined) throw new RangeError(`Expected a loaded tokenizer, got ${name}.`);
    return count;
  };
}

/** The control meets no limit, so that models that differ in those share one. */
function keyOf(model: ModelProfile): string {
  return JSON.stringify({ ...model, limits: undefined, trueLimits: undefined });
}
