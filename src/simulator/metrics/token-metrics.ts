import { type MetricRow, savedTokens } from './metric.ts';

/** Token metrics of a run, in the order of reports. */
export const tokenMetrics = {
  steps: {
    label: 'Steps',
    describes: 'Model requests: the recorded ones and those that a closed loop adds.',
  },
  turns: {
    label: 'Turns',
    describes: 'User messages that began a turn.',
  },
  inputTokens: {
    label: 'Input tokens',
    unit: 'tokens',
    better: 'lower',
    describes: 'Sum of the context sizes of all steps, without summary calls.',
  },
  outputTokens: {
    label: 'Output tokens',
    unit: 'tokens',
    describes: 'Tokens that the steps wrote.',
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
  unrecordedRequests: {
    label: 'Requests not recorded',
    describes:
      'Steps and summary calls of the run as recorded whose usage the recording lacks; its sums leave them out.',
    of: ({ run: { recording, steps } }) =>
      recording === undefined ? 0 : recording.steps - steps + recording.unknownCalls,
  },
  overflows: {
    label: 'Overflows',
    better: 'lower',
    describes: 'Times the session was found over its limit, by any path.',
    of: ({ run }) => run.overflowsAfterStep + run.overflowsBeforeRequest + run.refusals,
  },
  overflowsAfterStep: {
    label: 'after step',
    better: 'lower',
    describes: 'Overflows found by the check after a step.',
  },
  overflowsBeforeRequest: {
    label: 'before request',
    better: 'lower',
    describes: 'Overflows found by the check before a request.',
  },
  refusals: {
    label: 'Refusals',
    better: 'lower',
    describes: 'Requests that the provider refused.',
  },
  truncations: {
    label: 'Silent cuts',
    better: 'lower',
    describes:
      'Requests, including summary requests, that the provider silently cut to fit its window; a simulated summarizer still reads them whole.',
  },
  compactions: {
    label: 'Compactions',
    better: 'lower',
    describes: 'Pivots that took effect.',
  },
  ineffectiveCompactions: {
    label: 'ineffective',
    better: 'lower',
    describes: 'Pivots that left at least 95 % of the context.',
  },
  failedCompactions: {
    label: 'failed',
    better: 'lower',
    describes: 'Summary attempts that failed.',
  },
  recordedCompactions: {
    label: 'recorded',
    describes: 'Compactions by the recording agent, left out of the replay.',
  },
  prunes: {
    label: 'Prunes',
    describes: 'Prune passes that cleared outputs.',
  },
  prunesBelowMinimum: {
    label: 'below minimum',
    describes: 'Prune passes that found too little worth clearing.',
  },
  prunesThatAdded: {
    label: 'that added',
    better: 'lower',
    describes: 'Prune passes whose placeholders were longer than what they cleared.',
  },
  prunedTokens: {
    label: 'Pruned tokens',
    unit: 'tokens',
    better: 'higher',
    describes: 'True tokens that prunes removed from the view; below 0 where they added some.',
  },
  prunedTokensEstimated: {
    label: 'Pruned, as estimated',
    unit: 'tokens',
    describes: 'Tokens that the policy believed its prunes removed; below 0 where they added some.',
  },
  summaryInputTokens: {
    label: 'Summary input',
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of all answered summary requests; failed ones are not charged.',
  },
  summaryCacheReadTokens: {
    label: 'of it cached',
    unit: 'tokens',
    better: 'higher',
    describes: 'True tokens of those requests that were read from the prompt cache.',
  },
  summaryOutputTokens: {
    label: 'Summary output',
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of all summaries.',
  },
  finalContextTokens: {
    label: 'Final context',
    unit: 'tokens',
    better: 'lower',
    describes: 'What the next request would hold at the end of the run.',
    ofSeveral: 'largest',
  },
  tokensSaved: {
    label: 'Tokens saved',
    unit: 'tokens',
    better: 'higher',
    describes:
      "Tokens of the baseline minus this run's, over the steps that both have, with summary calls; the baseline is the run as recorded, else one that never compacts.",
    of: savedTokens,
  },
} satisfies Record<string, MetricRow>;
