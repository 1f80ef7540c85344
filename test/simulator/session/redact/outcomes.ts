import { type Limits, policies, type Policy } from '../../../../src/engine/index.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../../src/simulator/metrics/metrics.ts';
import type { RunTotals } from '../../../../src/simulator/metrics/totals.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { type CompileOptions, compileSession } from '../../../../src/simulator/replay/compile.ts';
import { countPart } from '../../../../src/simulator/replay/count.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { createCountCache } from '../../../../src/simulator/tokens/tokenizer.ts';
import { tokenizer } from './redactors.ts';

/** A session with what a redactor makes of it. */
export interface Pair {
  readonly session: Session;
  readonly redacted: Session;
}

/** A session too small for one token to be less than a hundredth of it. */
export const SMALLEST_TOKENS = 1_000;
const SUMMARY_TOKENS = 300;
const counted = createCountCache(tokenizer);
const count = (text: string): number => counted.count(text);
const COMPILE: CompileOptions = { tokenizer: tokenizer.name, tokenizerEvidence: 'measured', count };

/** Tokens of everything that a session puts into requests. */
export function tokensOf({ messages }: Session): number {
  const options = { render: policies.none.render, count };
  return messages
    .flatMap(({ parts, role }) => parts.map((part) => countPart(part, role, options)))
    .reduce((sum, tokens) => sum + tokens, 0);
}

/** Runs of a trace in windows of any size; what was run once is known. */
function createRuns(trace: Trace) {
  const known = new Map<string, RunTotals>();
  return (policy: Policy, contextTokens: number): RunTotals => {
    const key = `${policy.name} ${contextTokens}`;
    const run = known.get(key) ?? foldOf(trace, policy, { contextTokens, outputTokens: 1_000 });
    known.set(key, run);
    return run;
  };
}

function foldOf(trace: Trace, policy: Policy, limits: Limits): RunTotals {
  const model = createProfile('lab/model', limits);
  const summarizer = findSummarizer(`scripted:tokens=${SUMMARY_TOKENS}`);
  return foldRun(runTrace(trace, { policy, model, summarizer, seed: 1 }));
}

type Runs = ReturnType<typeof createRuns>;

/** The outcome of a run that must not depend on the words. */
export function outcomeOf(runs: Runs, policy: Policy, contextTokens: number) {
  const control = runs(policies.none, contextTokens);
  const { tokensSaved, ...metrics } = measure({
    run: runs(policy, contextTokens),
    baseline: { name: 'none', totals: control },
  });
  const { overflows, refusals, compactions, failedCompactions } = metrics;
  const { prunes, prunesBelowMinimum, prunedTokensEstimated } = metrics;
  return {
    hits: { overflows, refusals, compactions, failedCompactions },
    prunes: { prunes, prunesBelowMinimum, prunedTokensEstimated },
    tokensSaved,
  };
}

/** Whether the original itself meets its threshold elsewhere when the window is as little larger or smaller. */
export function isOnTheBrink(runs: Runs, policy: Policy, contextTokens: number): boolean {
  const [less, same, more] = [0.995, 1, 1.005].map((share) => {
    const outcome = outcomeOf(runs, policy, Math.round(contextTokens * share));
    const { hits, prunes, tokensSaved } = outcome;
    return { seen: JSON.stringify([hits, prunes]), tokensSaved: tokensSaved ?? 0 };
  });
  if (less?.seen !== same?.seen || more?.seen !== same?.seen) return true;
  const saved = [less, same, more].map((run) => run?.tokensSaved ?? 0);
  return Math.max(...saved) - Math.min(...saved) > Math.abs(saved[1] ?? 0) / 100;
}

/** A session and its redaction in a window that the original outgrows; nothing where it is too small. */
export function tryOut({ session, redacted }: Pair) {
  const trace = compileSession(session, COMPILE);
  const before = createRuns(trace);
  const { overheadTokens } = trace.basis;
  const grownTokens = before(policies.none, 0).peakContextTokens - overheadTokens;
  if (grownTokens < SMALLEST_TOKENS) return [];
  const after = createRuns(compileSession(redacted, COMPILE));
  return [{ before, after, contextTokens: overheadTokens + Math.round(0.6 * grownTokens) + 2_000 }];
}
