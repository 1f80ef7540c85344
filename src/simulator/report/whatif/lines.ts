import type { Limits } from '../../../engine/index.ts';
import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { formatCount, formatValue, UNKNOWN } from '../numbers.ts';
import { shownText } from '../shown-text.ts';
import type { VariantResult } from './what-if-report.ts';

/** The rows of the table, as far as they are measured, in the order in which things happen to a run. */
const WHAT_IF_METRICS: readonly string[] = [
  'steps',
  'overflows',
  'refusals',
  'compactions',
  'ineffectiveCompactions',
  'failedCompactions',
  'prunes',
  'peakContextTokens',
  'inputTokens',
  'tokensSaved',
  'hitRate',
  'costUsd',
  'costSummariesUsd',
  'references',
  'misses',
  'missRate',
  'missesPerEviction',
  'missedTokens',
  'missedTokenRate',
  'boundMisses',
  'regretUsd',
  'boundRegretUsd',
  'regretMs',
  'fileRereads',
  'rereadRate',
  'loops',
  'rereadSteps',
  'constraints',
  'goneConstraints',
  'paths',
  'gonePaths',
  'gonePathRate',
  'latencyMs',
];

const known: Readonly<Record<string, Metric>> = metrics;

/** How the variants began and ended, then a row for each metric; a column for each variant, none of which is left out. */
export function variantRows(
  variants: readonly VariantResult[],
  show: (name: string) => string,
): readonly (readonly string[])[] {
  return [...headRows(variants, show), ...metricRows(variants)];
}

/** A variant by its model and window. */
export function nameOfVariant({ model, limits }: VariantResult): string {
  return `${model}, window ${windowOf(limits)}`;
}

/** A window as it is told. */
export function windowOf({ contextTokens }: Limits): string {
  return contextTokens === 0 ? 'no limit' : formatCount(contextTokens);
}

/** Models of the variants, each once. */
export function modelsOf(variants: readonly VariantResult[]): readonly string[] {
  return [...new Set(variants.map(({ model }) => model))];
}

/** Why a variant did not complete. */
export function describeEnd(variant: VariantResult): readonly string[] {
  const { state, reason } = variant.record;
  if (state === 'completed') return [];
  const why = reason === undefined ? '' : `: ${reason}`;
  return [shownText(`${nameOfVariant(variant)} ${state}${why}`)];
}

function headRows(
  variants: readonly VariantResult[],
  show: (name: string) => string,
): readonly (readonly string[])[] {
  const hasModels = modelsOf(variants).length > 1;
  return [
    ...(hasModels ? [['Model', ...variants.map(({ model }) => show(model))]] : []),
    ['Window', ...variants.map(({ limits }) => windowOf(limits))],
    ['Usable', ...variants.map(usableOf)],
    ['State', ...variants.map(({ record }) => record.state)],
  ];
}

function metricRows(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  return WHAT_IF_METRICS.flatMap((name) => {
    const metric = known[name];
    if (metric === undefined) return [];
    const values = variants.map(({ record }) => record.metrics[name as MetricName] ?? null);
    return [[metric.label, ...values.map((value) => formatValue(value, metric.unit))]];
  });
}

/** What the first request may have. */
function usableOf({ plot }: VariantResult): string {
  const [usable] = plot.usableTokens;
  return usable === undefined ? UNKNOWN : formatCount(usable);
}
