import { type MetricRow, toUsd } from './metric.ts';

/** Metrics of the needs that a run lost, in the order of reports. Definitions: evaluation design, section 9.3. */
export const regretMetrics = {
  references: {
    label: 'References',
    describes: 'Needs of earlier content that an action of the agent brings back.',
  },
  misses: {
    label: 'Losses',
    better: 'lower',
    describes:
      'References to content that nothing in the request showed; what is lost counts once until it is read again.',
  },
  missRate: {
    label: 'per reference',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the references that were lost.',
    shareOf: ['misses', 'references'],
  },
  unrecoverableMisses: {
    label: 'Losses for good',
    better: 'lower',
    describes:
      'Steps that wrote names or phrases that nothing in the request showed any more, and lost facts of a generated session that no call brings back.',
  },
  evictions: {
    label: 'Evicted parts',
    describes:
      'Texts, calls and outputs that prunes, compactions and windows removed from the view.',
  },
  missesPerEviction: {
    label: 'Losses per part removed',
    unit: 'factor',
    better: 'lower',
    describes: 'Losses per part removed from the view.',
    shareOf: ['misses', 'evictions'],
  },
  referencedTokens: {
    label: 'Referenced tokens',
    unit: 'tokens',
    describes: 'True tokens of all referenced parts.',
  },
  missedTokens: {
    label: 'Lost tokens',
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of the lost parts.',
  },
  missedTokenRate: {
    label: 'of referenced tokens',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the referenced tokens that were lost.',
    shareOf: ['missedTokens', 'referencedTokens'],
  },
  regretUsd: {
    label: 'Regret',
    unit: 'usd',
    better: 'lower',
    describes:
      'The cost of losing: of the run in a closed loop, where the agent reads again what it lost, minus that in an open loop.',
    of: ({ run }) => toUsd(run.costs && run.regret.regretNanoUsd),
  },
  regretMs: {
    label: 'Regret in time',
    unit: 'ms',
    better: 'lower',
    describes: 'The same in estimated time.',
  },
  fileReads: {
    label: 'File reads',
    describes: 'Calls that read files.',
  },
  fileRereads: {
    label: 'Re-reads',
    describes: 'Reads that returned what an earlier read did, with no write in between.',
  },
  rereadRate: {
    label: 'of file reads',
    unit: 'ratio',
    describes: 'Share of file reads that were re-reads.',
    shareOf: ['fileRereads', 'fileReads'],
  },
  loops: {
    label: 'Loops',
    better: 'lower',
    describes:
      'Contents that the same call asked for at least three times, and rows of three identical calls that gave anything else.',
  },
  rereadSteps: {
    label: 'Added steps',
    better: 'lower',
    describes: 'Steps of a closed loop that only re-read what was lost.',
  },
  staleTokens: {
    label: 'Stale tokens',
    unit: 'tokens',
    better: 'lower',
    describes:
      'Tokens of visible outputs that a later write had made obsolete, summed over all steps.',
  },
  constraints: {
    label: 'Constraints',
    describes: 'Constraints that the user gave, or that an output of a generated session declares.',
  },
  goneConstraints: {
    label: 'Constraints gone',
    better: 'lower',
    describes:
      'Constraints that no visible message, call or summary names at the end; outputs are searched only if they declare one.',
  },
  paths: {
    label: 'Paths',
    describes: 'Files that the steps read or changed.',
  },
  gonePaths: {
    label: 'Paths gone',
    better: 'lower',
    describes:
      'Paths that no visible message, call or summary names at the end; outputs are not searched.',
  },
  gonePathRate: {
    label: 'of paths',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the paths that are gone.',
    shareOf: ['gonePaths', 'paths'],
  },
} satisfies Record<string, MetricRow>;
