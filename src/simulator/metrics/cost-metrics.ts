import { type MetricRow, savedUsd, toUsd } from './metric.ts';
import type { RunTotals } from './totals.ts';

/** Cost metrics of a run: money, cache and time. Definitions: evaluation design, section 9.4. */
export const costMetrics = {
  costUsd: {
    label: 'Cost',
    unit: 'usd',
    better: 'lower',
    describes:
      'Dollars for all steps and summary calls at list prices: with the simulated cache, or by recorded usage.',
    of: ({ run }) => toUsd(run.costs && run.costs.stepsNanoUsd + run.costs.summariesNanoUsd),
  },
  costSummariesUsd: {
    label: 'of which summaries',
    unit: 'usd',
    better: 'lower',
    describes: 'Dollars for the summary calls alone.',
    of: ({ run }) => toUsd(run.costs?.summariesNanoUsd),
  },
  costSavedUsd: {
    label: 'Dollars saved',
    unit: 'usd',
    better: 'higher',
    describes:
      "Cost of the baseline minus this run's, over the steps that both have, with summary calls.",
    of: savedUsd,
  },
  cacheReadTokens: {
    label: 'Cache reads',
    unit: 'tokens',
    describes: 'Input tokens of the steps that were read from the prompt cache.',
  },
  cacheWriteTokens: {
    label: 'Cache writes',
    unit: 'tokens',
    better: 'lower',
    describes: 'Input tokens written to the prompt cache and billed as such.',
  },
  uncachedTokens: {
    label: 'Uncached',
    unit: 'tokens',
    better: 'lower',
    describes:
      'Input tokens of the steps that were neither read from the cache nor billed as cache writes.',
  },
  inputAfterUserTokens: {
    label: 'Input after user',
    unit: 'tokens',
    better: 'lower',
    describes: 'Input tokens of the first request of each turn.',
    of: ({ run }) => run.afterUser.inputTokens,
  },
  cacheReadAfterUserTokens: {
    label: 'Cache reads after user',
    unit: 'tokens',
    describes: 'Cache reads of the first request of each turn.',
    of: ({ run }) => run.afterUser.cacheReadTokens,
  },
  inputAfterToolTokens: {
    label: 'Input after tool',
    unit: 'tokens',
    better: 'lower',
    describes: 'Input tokens of all other requests.',
    of: ({ run }) => run.afterTool.inputTokens,
  },
  cacheReadAfterToolTokens: {
    label: 'Cache reads after tool',
    unit: 'tokens',
    describes: 'Cache reads of all other requests.',
    of: ({ run }) => run.afterTool.cacheReadTokens,
  },
  hitRate: {
    label: 'Hit rate',
    unit: 'ratio',
    better: 'higher',
    describes: "Share of the steps' input tokens that was read from the prompt cache.",
    shareOf: ['cacheReadTokens', 'inputTokens'],
  },
  hitRateAfterUser: {
    label: 'after user',
    unit: 'ratio',
    better: 'higher',
    describes: 'Hit rate of the first request of each turn.',
    shareOf: ['cacheReadAfterUserTokens', 'inputAfterUserTokens'],
  },
  hitRateAfterTool: {
    label: 'after tool',
    unit: 'ratio',
    better: 'higher',
    describes: 'Hit rate of all other requests.',
    shareOf: ['cacheReadAfterToolTokens', 'inputAfterToolTokens'],
  },
  prefixBreaks: {
    label: 'Prefix breaks',
    better: 'lower',
    describes: 'Steps that broke with the prefix still live in the cache.',
  },
  prunesPaidBack: {
    label: 'Prunes paid back',
    better: 'higher',
    describes: 'Prunes followed by enough steps to be cheaper than not pruning.',
    of: ({ run }) => paidBack(run, 'prune'),
  },
  compactionsPaidBack: {
    label: 'Compactions paid back',
    better: 'higher',
    describes: 'Compactions followed by enough steps to be cheaper than none.',
    of: ({ run }) => paidBack(run, 'pivot'),
  },
  wastedCompactions: {
    label: 'Wasted compactions',
    better: 'lower',
    describes: 'Compactions without effect, or followed by too few steps to pay back.',
    of: ({ run }) =>
      run.costs && run.paybacks.filter(({ kind, isWasted }) => kind === 'pivot' && isWasted).length,
  },
  latencyMs: {
    label: 'Latency',
    unit: 'ms',
    better: 'lower',
    describes: 'Estimated time that steps and summary calls take.',
  },
} satisfies Record<string, MetricRow>;

function paidBack({ paybacks, costs }: RunTotals, of: 'prune' | 'pivot'): number | undefined {
  return costs && paybacks.filter(({ kind, isWasted }) => kind === of && !isWasted).length;
}
