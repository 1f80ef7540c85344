import { type MetricInput, toUsd } from './metric.ts';
import type { StepTotals } from './totals.ts';

/** A quantity of the requests of one step: of its answers, and of the summary calls behind it. */
interface Spent {
  readonly ofStep: number;
  readonly ofSummaries: number;
}

/** Tokens that a run sent less than its baseline, net of summary calls. */
export function savedTokens(input: MetricInput): number | undefined {
  return savedOf(input, ({ contextTokens, summaryTokens }) => {
    return { ofStep: contextTokens, ofSummaries: summaryTokens };
  });
}

/** Dollars that a run cost less than its baseline, net of summary calls; unknown where a price of either is. */
export function savedUsd(input: MetricInput): number | undefined {
  if (input.run.costs === undefined || input.baseline?.totals.costs === undefined) return undefined;
  const saved = savedOf(input, ({ nanoUsd, summaryNanoUsd }) => {
    return { ofStep: nanoUsd, ofSummaries: summaryNanoUsd };
  });
  return toUsd(saved);
}

/**
 * The amount that the baseline spent more over the steps that both have, and over the summary calls up to the run's last step. Unknown without a
 * common step, and of a run that cannot exist.
 */
function savedOf(
  { run, baseline }: MetricInput,
  spentOn: (step: StepTotals) => Spent,
): number | undefined {
  if (baseline === undefined || run.isImpossible) return undefined;
  let isShared = run.steps === 0;
  let saved = 0;
  for (const [step, own] of run.byStep) {
    const other = baseline.totals.byStep.get(step);
    const [mine, theirs] = [spentOn(own), other && spentOn(other)];
    saved += (theirs?.ofSummaries ?? 0) - mine.ofSummaries;
    if (theirs === undefined || !other?.isAnswered || !own.isAnswered) continue;
    isShared = true;
    saved += theirs.ofStep - mine.ofStep;
  }
  return isShared ? saved : undefined;
}
