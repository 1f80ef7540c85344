import { policies } from '../../../engine/index.ts';
import { messageOf } from '../../errors.ts';
import { foldRun } from '../../metrics/fold.ts';
import type { RunTotals } from '../../metrics/totals.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { summarizers } from '../../summarizer/summarizers.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import { createOutcomes, type Outcomes } from './outcomes.ts';

/** A session with the control that its runs are measured against, or why there is none. */
export type Prepared =
  | { readonly state: 'ready'; readonly trace: Trace; readonly control: RunTotals }
  | { readonly state: 'failed'; readonly reason: string };

/** A session as runs against different models need it, each trace and each control made once. */
export interface PreparedSession {
  against(model: ModelProfile): Prepared;
  /** Of its runs so far. */
  readonly outcomes: Outcomes;
}

/** Counts tokens with the tokenizer of that name. */
export type CountWith = (tokenizer: string) => CountText;

/** What answers the control, which never asks. */
const NO_SUMMARIES = summarizers['scripted:fail'].create();
const ANY_SEED = 1;

/** Prepares a session for many runs; nothing is done before it is needed. */
export function prepareSession(session: Session, countWith: CountWith): PreparedSession {
  const traces = new Map<string, Trace>();
  const prepared = new Map<string, Prepared>();
  const traceFor = (model: ModelProfile) => {
    const { name, evidence } = tokenizerOf(model.id);
    return kept(traces, `${name} ${evidence}`, () =>
      compileSession(session, {
        tokenizer: name,
        tokenizerEvidence: evidence,
        count: countWith(name),
      }),
    );
  };
  return {
    against: (model) =>
      kept(prepared, keyOf(model), () => prepareControl(model, () => traceFor(model))),
    outcomes: createOutcomes(),
  };
}

/** The control meets no limit, so that models that differ in those share one. */
function keyOf(model: ModelProfile): string {
  return JSON.stringify({ ...model, limits: undefined, trueLimits: undefined });
}

function prepareControl(model: ModelProfile, toTrace: () => Trace): Prepared {
  try {
    const trace = toTrace();
    const options = { model, policy: policies.none, summarizer: NO_SUMMARIES, seed: ANY_SEED };
    return { state: 'ready', trace, control: foldRun(runTrace(trace, options)) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

function kept<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}
