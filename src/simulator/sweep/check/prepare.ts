import { policies } from '../../../engine/index.ts';
import { messageOf } from '../../errors.ts';
import { foldRun } from '../../metrics/fold.ts';
import type { RunTotals } from '../../metrics/totals.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import type { ResolvedRun } from './resolve-run.ts';

/** A session with the control that its run is measured against, or why there is none. */
export type Prepared =
  | { readonly state: 'ready'; readonly trace: Trace; readonly control: RunTotals }
  | { readonly state: 'failed'; readonly reason: string };

/** Prepares the runs of a scenario, each session and each control once. */
export type Prepare = (resolved: ResolvedRun, count: CountText) => Prepared;

/** A preparation that shares what runs have in common. */
export function createPrepare(): Prepare {
  const prepared = createShelf<Prepared>();
  const traces = createShelf<Trace>();
  return (resolved, count) => {
    const { session, run, options } = resolved;
    const tokens = `${tokenizerOf(options.model.id).name} ${run.session.overheadTokens}`;
    const { model, summaryModel, faults, seed } = options;
    const key = JSON.stringify([tokens, model, summaryModel, faults, seed]);
    const compiled = () => traces.of(session, tokens, () => compile(resolved, count));
    return prepared.of(session, key, () => prepareRun(resolved, compiled));
  };
}

/** What was made of sessions, by what else it depends on. */
interface Shelf<Value> {
  of(session: Session, key: string, make: () => Value): Value;
}

function createShelf<Value>(): Shelf<Value> {
  const bySession = new WeakMap<Session, Map<string, Value>>();
  return {
    of: (session, key, make) => {
      const values = bySession.get(session) ?? new Map<string, Value>();
      bySession.set(session, values);
      const value = values.get(key) ?? make();
      values.set(key, value);
      return value;
    },
  };
}

function prepareRun(resolved: ResolvedRun, compiled: () => Trace): Prepared {
  try {
    const trace = compiled();
    // The same befalls the control, so that the two differ by what the policy does.
    const events = runTrace(trace, {
      ...resolved.options,
      policy: policies.none,
      // The control asks nobody.
      summarizer: findSummarizer('extractive'),
    });
    return { state: 'ready', trace, control: foldRun(events) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

function compile({ run, session, options }: ResolvedRun, count: CountText): Trace {
  const { name, evidence } = tokenizerOf(options.model.id);
  const { overheadTokens } = run.session;
  return compileSession(session, {
    tokenizer: name,
    tokenizerEvidence: evidence,
    count,
    overheadTokens,
  });
}
