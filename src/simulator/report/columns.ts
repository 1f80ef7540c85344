import type { MetricValues } from '../metrics/metrics.ts';
import { formatCount, formatShare, formatUsd } from './numbers.ts';
import type { Column } from './text-table.ts';

/** A column of numbers in the reports for people. */
export interface NumberColumn extends Column {
  readonly rank: number;
  of(values: MetricValues): string;
}

/** The most telling numbers of a run, in the order in which things happen to it. */
export const numberColumns: readonly NumberColumn[] = [
  { title: 'Steps', rank: 8, of: ({ steps }) => formatCount(steps) },
  { title: 'Peak', rank: 6, of: ({ peakContextTokens }) => formatCount(peakContextTokens) },
  { title: 'Overflows', rank: 9, of: ({ overflows }) => formatCount(overflows) },
  { title: 'Compactions', rank: 2, of: formatCompactions },
  { title: 'Prunes', rank: 5, of: ({ prunes }) => formatCount(prunes) },
  { title: 'Pruned', rank: 10, of: ({ prunedTokens }) => formatCount(prunedTokens) },
  { title: 'Tokens saved', rank: 7, of: formatSaved },
  { title: 'Cost', rank: 1, of: ({ costUsd }) => formatUsd(costUsd) },
  { title: 'Dollars saved', rank: 3, of: formatSavedUsd },
  { title: 'Misses', rank: 4, of: formatMisses },
];

/** Attempts that achieved nothing stand beside those that did. */
function formatCompactions(values: MetricValues): string {
  const hints = [
    values.failedCompactions ? `+${formatCount(values.failedCompactions)} failed` : '',
    values.ineffectiveCompactions
      ? `${formatCount(values.ineffectiveCompactions)} ineffective`
      : '',
  ].filter((hint) => hint !== '');
  const count = formatCount(values.compactions);
  return hints.length === 0 ? count : `${count} (${hints.join(', ')})`;
}

/** A saving is a share of what the control would have sent. */
function formatSaved(values: MetricValues): string {
  const { tokensSaved, inputTokens, summaryInputTokens, summaryOutputTokens } = values;
  const saved = formatCount(tokensSaved);
  if (tokensSaved === null || inputTokens === null) return saved;
  if (summaryInputTokens === null || summaryOutputTokens === null) return saved;
  const controlTokens = tokensSaved + inputTokens + summaryInputTokens + summaryOutputTokens;
  return tokensSaved === 0 ? saved : `${saved} (${formatShare(tokensSaved, controlTokens)})`;
}

/** Tokens saved are not dollars saved: a prompt cache makes old tokens cheap and new ones dear. */
function formatSavedUsd({ costUsd, costSavedUsd }: MetricValues): string {
  const saved = formatUsd(costSavedUsd);
  if (costUsd === null || costSavedUsd === null || costSavedUsd === 0) return saved;
  return `${saved} (${formatShare(costSavedUsd, costSavedUsd + costUsd)})`;
}

/** What a prune with knowledge of the future would have missed stands beside what was missed. */
function formatMisses({ misses, boundMisses }: MetricValues): string {
  const count = formatCount(misses);
  return !misses || boundMisses === null ? count : `${count} (${formatCount(boundMisses)} at best)`;
}
