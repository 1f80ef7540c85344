import { perKey } from '../../../engine/internal.ts';
import { keepIn } from '../../keep-in.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import { compileOptionsFor, type Prepared, prepareRuns } from '../run/prepare-runs.ts';
import type { ResolvedRun } from './resolve-run.ts';

/** Prepares the runs of a scenario, each session and each control once. */
export type Prepare = (resolved: ResolvedRun, count: CountText) => Prepared;

/** A preparation that shares what runs have in common. */
export function createPrepare(): Prepare {
  const prepared = perKey<Session, Map<string, Prepared>>(() => new Map());
  const traces = perKey<Session, Map<string, Trace>>(() => new Map());
  return (resolved, count) => {
    const { session, run, options } = resolved;
    const { overheadTokens, scale } = run.session;
    const { name } = tokenizerOf(options.model.id);
    const tokens = JSON.stringify([name, overheadTokens, scale]);
    const { model, summaryModel, faults, seed } = options;
    const key = JSON.stringify([tokens, model, summaryModel, faults, seed]);
    const compiled = () => keepIn(traces(session), tokens, () => compileRun(resolved, count));
    // The same befalls the control, so that the two differ by what the policy does.
    return keepIn(prepared(session), key, () => prepareRuns(compiled, options));
  };
}

/** The trace of a run that a scenario names. */
export function compileRun({ run, session, options }: ResolvedRun, count: CountText): Trace {
  const { overheadTokens, scale } = run.session;
  return compileSession(session, {
    ...compileOptionsFor(options.model.id, count),
    overheadTokens,
    scale,
  });
}
