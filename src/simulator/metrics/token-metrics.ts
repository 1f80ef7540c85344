import { sum } from '../lib/collections.ts';
import type { Metric } from './metric.ts';
import { recordedSteps } from './totals.ts';

/** Token metrics of a run, in the order of reports. */
export const tokenMetrics = {
  steps: {
    label: 'Steps',
    unit: 'count',
    describes: 'Model requests: the recorded ones and those that a closed loop adds.',
    of: ({ run }) => run.steps,
  },
  turns: {
    label: 'Turns',
    unit: 'count',
    describes: 'User messages that began a turn.',
    of: ({ run }) => run.turns,
  },
  inputTokens: {
    label: 'Input tokens',
    unit: 'tokens',
    better: 'lower',
    describes: 'Sum of the context sizes of all steps, without summary calls.',
    of: ({ run }) => run.inputTokens,
  },
  outputTokens: {
    label: 'Output tokens',
    unit: 'tokens',
    describes: 'Tokens that the steps wrote.',
    of: ({ run }) => run.outputTokens,
  },
  peakContextTokens: {
    label: 'Peak context',
    unit: 'tokens',
    better: 'lower',
    describes: 'Largest context of any step that was answered.',
    ofSeveral: 'largest',
    // A run without steps, which has none, leaves those of others as they are.
    withoutPrune: 0,
    of: ({ run }) => (run.steps === 0 ? undefined : run.peakContextTokens),
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
    describes: 'Requests that the provider refused.',
    of: ({ run }) => run.refusals,
  },
  truncations: {
    label: 'Silent cuts',
    unit: 'count',
    better: 'lower',
    describes:
      'Requests, including summary requests, that the provider silently cut to fit its window; a simulated summarizer still reads them whole.',
    of: ({ run }) => run.truncations,
  },
  compactions: {
    label: 'Compactions',
    unit: 'count',
    better: 'lower',
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
    describes: 'Compactions by the recording agent, left out of the replay.',
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
    describes: 'Prune passes that found too little worth clearing.',
    of: ({ run }) => run.prunesBelowMinimum,
  },
  prunesThatAdded: {
    label: 'that added',
    unit: 'count',
    better: 'lower',
    describes: 'Prune passes whose placeholders were longer than what they cleared.',
    of: ({ run }) => run.prunesThatAdded,
  },
  prunedTokens: {
    label: 'Pruned tokens',
    unit: 'tokens',
    better: 'higher',
    describes: 'True tokens that prunes removed from the view; below 0 where they added some.',
    of: ({ run }) => run.prunedTokens,
  },
  prunedTokensEstimated: {
    label: 'Pruned, as estimated',
    unit: 'tokens',
    describes: 'Tokens that the policy believed its prunes removed; below 0 where they added some.',
    of: ({ run }) => run.prunedTokensEstimated,
  },
  summaryInputTokens: {
    label: 'Summary input',
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of all answered summary requests; failed ones are not charged.',
    of: ({ run }) => run.summaryInputTokens,
  },
  summaryCacheReadTokens: {
    label: 'of it cached',
    unit: 'tokens',
    better: 'higher',
    describes: 'True tokens of those requests that were read from the prompt cache.',
    of: ({ run }) => run.summaryCacheReadTokens,
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
    describes: 'What the next request would hold at the end of the run.',
    ofSeveral: 'largest',
    of: ({ run }) => run.finalContextTokens,
  },
  tokensSaved: {
    label: 'Tokens saved',
    unit: 'tokens',
    better: 'higher',
    describes:
      "Input tokens of the control over the same steps, minus this run's input and summary tokens.",
    of: ({ run, control }) =>
      control.contextTokens.length < recordedSteps(run)
        ? undefined
        : sum(control.contextTokens.slice(0, recordedSteps(run))) -
          run.inputTokens -
          run.summaryInputTokens -
          run.summaryOutputTokens,
  },
} satisfies Record<string, Metric>;
