import type { Limits } from '../../../engine/index.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { formatCount, formatValue, UNKNOWN } from '../numbers.ts';
import { shownText } from '../shown-text.ts';
import type { VariantResult } from './what-if-report.ts';

/** How names are written. */
interface Naming {
  /** A name from outside. */
  readonly show: (name: string) => string;
  /** What the row of a metric is called, by the metric's name. */
  readonly nameOf: (name: MetricName) => string;
}

/** The rows of the table, as far as they are measured, in the order in which things happen to a run. */
const WHAT_IF_METRICS: readonly MetricName[] = [
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

/** How the variants began and ended, then a row for each metric; a column for each variant, none of which is left out. */
export function variantRows(
  variants: readonly VariantResult[],
  { show, nameOf }: Naming,
): readonly (readonly string[])[] {
  return [...headRows(variants, show), ...metricRows(variants, nameOf)];
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

function metricRows(
  variants: readonly VariantResult[],
  nameOf: Naming['nameOf'],
): readonly (readonly string[])[] {
  return WHAT_IF_METRICS.map((name) => {
    const values = variants.map(({ record }) => record.metrics[name] ?? null);
    return [nameOf(name), ...values.map((value) => formatValue(value, metrics[name].unit))];
  });
}

/** What the first request may have. */
function usableOf({ plot }: VariantResult): string {
  if (plot.isUnlimited) return 'no limit';
  const [usable] = plot.usableTokens;
  return usable === undefined ? UNKNOWN : formatCount(usable);
}
