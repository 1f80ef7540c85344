import { type Metric, type MetricInput, sum, toUsd } from './metric.ts';
import { recordedSteps, type RunTotals } from './totals.ts';

/** What a run cost in money, cache and time. Definitions: evaluation design, section 9.4. */
export const costMetrics = {
  costUsd: {
    label: 'Cost',
    unit: 'usd',
    better: 'lower',
    describes: 'Dollars of all steps and summary calls, by list prices and the simulated cache.',
    of: ({ run }) => toUsd(run.costs && sum(run.costs.stepsNanoUsd) + run.costs.summariesNanoUsd),
  },
  costSummariesUsd: {
    label: 'of which summaries',
    unit: 'usd',
    better: 'lower',
    describes: 'Dollars of the summary calls alone.',
    of: ({ run }) => toUsd(run.costs?.summariesNanoUsd),
  },
  costSavedUsd: {
    label: 'Dollars saved',
    unit: 'usd',
    better: 'higher',
    describes: 'Cost of the control over the same steps, less cost.',
    of: savedCost,
  },
  cacheReadTokens: {
    label: 'Cache reads',
    unit: 'tokens',
    better: 'higher',
    describes: 'Input tokens of the steps that came from the prompt cache.',
    of: ({ run }) => run.cacheReadTokens,
  },
  cacheWriteTokens: {
    label: 'Cache writes',
    unit: 'tokens',
    better: 'lower',
    describes: 'Input tokens that were written to the cache and billed as such.',
    of: ({ run }) => run.cacheWriteTokens,
  },
  uncachedTokens: {
    label: 'Uncached',
    unit: 'tokens',
    better: 'lower',
    describes:
      'Input tokens of the steps that were neither read from the cache nor billed as written.',
    of: ({ run }) => run.uncachedTokens,
  },
  inputAfterUserTokens: {
    label: 'Input after user',
    unit: 'tokens',
    better: 'lower',
    describes: 'Contexts of the first request of each turn.',
    of: ({ run }) => run.afterUser.inputTokens,
  },
  cacheReadAfterUserTokens: {
    label: 'Cache reads after user',
    unit: 'tokens',
    better: 'higher',
    describes: 'Cache reads of the first request of each turn.',
    of: ({ run }) => run.afterUser.cacheReadTokens,
  },
  inputAfterToolTokens: {
    label: 'Input after tool',
    unit: 'tokens',
    better: 'lower',
    describes: 'Contexts of all other requests.',
    of: ({ run }) => run.afterTool.inputTokens,
  },
  cacheReadAfterToolTokens: {
    label: 'Cache reads after tool',
    unit: 'tokens',
    better: 'higher',
    describes: 'Cache reads of all other requests.',
    of: ({ run }) => run.afterTool.cacheReadTokens,
  },
  hitRate: {
    label: 'Hit rate',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of the input tokens of the steps that came from the prompt cache.',
    shareOf: ['cacheReadTokens', 'inputTokens'],
  },
  hitRateAfterUser: {
    label: 'after user',
    unit: 'ratio',
    better: 'higher',
    describes: 'The same of the first request of each turn.',
    shareOf: ['cacheReadAfterUserTokens', 'inputAfterUserTokens'],
  },
  hitRateAfterTool: {
    label: 'after tool',
    unit: 'ratio',
    better: 'higher',
    describes: 'The same of all other requests.',
    shareOf: ['cacheReadAfterToolTokens', 'inputAfterToolTokens'],
  },
  prefixBreaks: {
    label: 'Prefix breaks',
    unit: 'count',
    better: 'lower',
    describes: 'Steps that departed from what lay live in the cache for them.',
    of: ({ run }) => run.prefixBreaks,
  },
  prunesPaidBack: {
    label: 'Prunes paid back',
    unit: 'count',
    better: 'higher',
    describes:
      'Prunes that were followed by as many steps as they need to be cheaper than no prune.',
    of: ({ run }) => paidBack(run, 'prune'),
  },
  compactionsPaidBack: {
    label: 'Compactions paid back',
    unit: 'count',
    better: 'higher',
    describes: 'Pivots that were followed by as many steps as they need to be cheaper than none.',
    of: ({ run }) => paidBack(run, 'pivot'),
  },
  wastedCompactions: {
    label: 'Wasted compactions',
    unit: 'count',
    better: 'lower',
    describes: 'Pivots without effect, or with too few steps after them to pay them back.',
    of: ({ run }) =>
      run.costs && run.paybacks.filter(({ kind, isWasted }) => kind === 'pivot' && isWasted).length,
  },
  latencyMs: {
    label: 'Latency',
    unit: 'ms',
    better: 'lower',
    describes: 'Estimated time that steps and summary calls take.',
    of: ({ run }) => run.latencyMs,
  },
} satisfies Record<string, Metric>;

function paidBack({ paybacks, costs }: RunTotals, of: 'prune' | 'pivot'): number | undefined {
  return costs && paybacks.filter(({ kind, isWasted }) => kind === of && !isWasted).length;
}

/** Over the steps that the run had: it may have ended before the control. */
function savedCost({ run, control }: MetricInput): number | undefined {
  const steps = recordedSteps(run);
  if (!run.costs || !control.costs || control.contextTokens.length < steps) return undefined;
  const controlNanoUsd = sum(control.costs.stepsNanoUsd.slice(0, steps));
  return toUsd(controlNanoUsd - sum(run.costs.stepsNanoUsd) - run.costs.summariesNanoUsd);
}
