import type { RunTotals } from './fold.ts';

/** A run's sums beside those of the control that never compacts. */
export interface MetricInput {
  readonly run: RunTotals;
  readonly control: RunTotals;
}

/** One number about a run: what it is called, how it is measured, which way is better. */
export interface Metric {
  readonly label: string;
  readonly unit: 'tokens' | 'count';
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
  /** `undefined` where it is unknown. */
  of(input: MetricInput): number | undefined;
}

/** All metrics by name, in the order of reports. Definitions: DESIGN, sections 6 and 8. */
export const metrics = {
  steps: {
    label: 'Steps',
    unit: 'count',
    describes: 'Recorded model requests that were replayed.',
    of: ({ run }) => run.steps,
  },
  turns: {
    label: 'Turns',
    unit: 'count',
    describes: 'User messages that opened a turn.',
    of: ({ run }) => run.turns,
  },
  inputTokens: {
    label: 'Input tokens',
    unit: 'tokens',
    better: 'lower',
    describes: 'Sum of the contexts of all steps, without summary calls.',
    of: ({ run }) => run.inputTokens,
  },
  outputTokens: {
    label: 'Output tokens',
    unit: 'tokens',
    describes: 'What the steps wrote.',
    of: ({ run }) => run.outputTokens,
  },
  peakContextTokens: {
    label: 'Peak context',
    unit: 'tokens',
    better: 'lower',
    describes: 'Largest context of any step.',
    of: ({ run }) => run.peakContextTokens,
  },
  overflows: {
    label: 'Overflows',
    unit: 'count',
    better: 'lower',
    describes: 'Times the session was found over its limit, by any path.',
    of: ({ run }) => run.overflowsAfterStep + run.overflowsBeforeRequest + run.refusals,
  },
  overflowsAfterStep: {
    label: 'after step',
    unit: 'count',
    better: 'lower',
    describes: 'Overflows found by the check after a step.',
    of: ({ run }) => run.overflowsAfterStep,
  },
  overflowsBeforeRequest: {
    label: 'before request',
    unit: 'count',
    better: 'lower',
    describes: 'Overflows found by the check before a request.',
    of: ({ run }) => run.overflowsBeforeRequest,
  },
  refusals: {
    label: 'Refusals',
    unit: 'count',
    better: 'lower',
    describes: 'Requests that the provider would not take.',
    of: ({ run }) => run.refusals,
  },
  compactions: {
    label: 'Compactions',
    unit: 'count',
    describes: 'Pivots that took effect.',
    of: ({ run }) => run.compactions,
  },
  ineffectiveCompactions: {
    label: 'ineffective',
    unit: 'count',
    better: 'lower',
    describes: 'Pivots that left at least 95 % of the context.',
    of: ({ run }) => run.ineffectiveCompactions,
  },
  failedCompactions: {
    label: 'failed',
    unit: 'count',
    better: 'lower',
    describes: 'Summary attempts that failed.',
    of: ({ run }) => run.failedCompactions,
  },
  recordedCompactions: {
    label: 'recorded',
    unit: 'count',
    describes: 'Compactions by the recording agent, taken out of the replay.',
    of: ({ run }) => run.recordedCompactions,
  },
  prunes: {
    label: 'Prunes',
    unit: 'count',
    describes: 'Prune passes that cleared outputs.',
    of: ({ run }) => run.prunes,
  },
  prunesBelowMinimum: {
    label: 'below minimum',
    unit: 'count',
    describes: 'Prune passes that found too little to be worth it.',
    of: ({ run }) => run.prunesBelowMinimum,
  },
  prunedTokens: {
    label: 'Pruned tokens',
    unit: 'tokens',
    better: 'higher',
    describes: 'True tokens that prunes took out of the view.',
    of: ({ run }) => run.prunedTokens,
  },
  prunedTokensEstimated: {
    label: 'Pruned, as believed',
    unit: 'tokens',
    describes: 'What the policy believed that prunes took out.',
    of: ({ run }) => run.prunedTokensEstimated,
  },
  summaryInputTokens: {
    label: 'Summary input',
    unit: 'tokens',
    better: 'lower',
    describes:
      'True tokens of all summary requests that were answered; a failed one is not charged.',
    of: ({ run }) => run.summaryInputTokens,
  },
  summaryOutputTokens: {
    label: 'Summary output',
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of all summaries.',
    of: ({ run }) => run.summaryOutputTokens,
  },
  finalContextTokens: {
    label: 'Final context',
    unit: 'tokens',
    better: 'lower',
    describes: 'What a next request would hold at the end of the run.',
    of: ({ run }) => run.finalContextTokens,
  },
  tokensSaved: {
    label: 'Tokens saved',
    unit: 'tokens',
    better: 'higher',
    describes: 'Input tokens of the control over the same steps, less input and summary calls.',
    of: ({ run, control }) =>
      control.contextTokens.length < run.steps
        ? undefined
        : sum(control.contextTokens.slice(0, run.steps)) -
          run.inputTokens -
          run.summaryInputTokens -
          run.summaryOutputTokens,
  },
} satisfies Record<string, Metric>;

/** The name of a metric. */
export type MetricName = keyof typeof metrics;

/** Metric values of a run; `null` where unknown. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

/** All metrics of a run. */
export function measure(input: MetricInput): MetricValues {
  return tabulate((metric) => metric.of(input) ?? null);
}

/** The metrics of something that never ran: all unknown. */
export const UNKNOWN_METRICS: MetricValues = tabulate(() => null);

function tabulate(valueOf: (metric: Metric) => number | null): MetricValues {
  const entries = Object.entries<Metric>(metrics).map(([name, metric]) => [name, valueOf(metric)]);
  return Object.fromEntries(entries) as MetricValues;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
