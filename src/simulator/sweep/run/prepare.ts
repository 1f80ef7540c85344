import { policies } from '../../../engine/index.ts';
import { messageOf } from '../../lib/errors.ts';
import { foldRun } from '../../metrics/fold.ts';
import type { Baseline } from '../../metrics/metric.ts';
import type { RunTotals } from '../../metrics/totals.ts';
import { withoutTexts } from '../../replay/bare-trace.ts';
import { type CompileOptions, compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { hasUsage, replayRecorded, type RecordedOptions } from '../../replay/recorded.ts';
import { type RunOptions, runTrace } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { contentFor, findSummarizer } from '../../summarizer/summarizers.ts';
import { type Counters, createCounters } from '../../tokens/counters.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';

/** A session with the baseline of its runs' savings, or why there is none. */
export type Prepared =
  | {
      readonly state: 'ready';
      readonly trace: Trace;
      /** Absent where nothing that can exist is one. */
      readonly baseline: Baseline | undefined;
    }
  | { readonly state: 'failed'; readonly reason: string };

/** Options that apply to the control as to the runs. */
type ControlOptions = Omit<RunOptions, 'policy' | 'summarizer'>;

/** The summarizer of what asks for no summary, as the control. */
export const NEVER_ASKED = findSummarizer('scripted:fail');

/** Makes a trace, and finds the baseline of its runs. */
export function prepareRuns(toTrace: () => Trace, options: ControlOptions): Prepared {
  try {
    const trace = toTrace();
    return { state: 'ready', trace, baseline: findBaseline(trace, options) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

/** The baseline of savings: the run as recorded where there is usage, else one that never compacts, if its requests fit the window. */
export function findBaseline(
  trace: Trace,
  options: ControlOptions & RecordedOptions,
): Baseline | undefined {
  if (hasUsage(trace)) {
    return { name: 'recorded', totals: foldRun(replayRecorded(trace, options)) };
  }
  const totals = runControl(trace, options);
  return totals.isImpossible ? undefined : { name: 'none', totals };
}

/** How sessions are compiled for a model, with what counts for it. */
export function compileOptionsFor(modelId: string, count: CountText): CompileOptions {
  const { name, evidence } = tokenizerOf(modelId);
  return { tokenizer: name, tokenizerEvidence: evidence, count };
}

/** A session compiled with the tokenizer of a model; what was counted is forgotten without counters. */
export async function compileFor(
  model: string,
  session: Session,
  counters: Counters = createCounters(),
): Promise<Trace> {
  return compileSession(session, compileOptionsFor(model, await counters.of(model)));
}

/** A trace as runs need it: on its sizes alone where a summarizer reads no texts. */
export function traceFor(summarizer: string, trace: Trace, count: CountText): Trace {
  return contentFor(summarizer) === 'texts' ? trace : withoutTexts(trace, count);
}

/** The control is told of nothing that is lost, since nothing is. */
function runControl(trace: Trace, options: ControlOptions): RunTotals {
  const control = { ...options, policy: policies.none, summarizer: NEVER_ASKED, isBlind: true };
  return foldRun(runTrace(trace, control));
}
