import { boundMetrics } from './bound/bound-metrics.ts';
import { costMetrics } from './cost-metrics.ts';
import { type Counted, type Metric, type MetricInput, shareOf } from './metric.ts';
import { regretMetrics } from './regret/regret-metrics.ts';
import { tokenMetrics } from './token-metrics.ts';

/** All metrics by name, in the order of reports. */
export const metrics = {
  ...tokenMetrics,
  ...costMetrics,
  ...regretMetrics,
  ...boundMetrics,
} satisfies Record<string, Metric>;

/** The name of a metric. */
export type MetricName = keyof typeof metrics;

/** Metric values of a run; `null` where unknown. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

/** All metrics of a run. */
export function measure(input: MetricInput): MetricValues {
  return tabulate((metric) => metric.of(input) ?? null);
}

/** The metrics of several runs taken together; unknown where it is unknown for any, or where there is none. */
export function combine(runs: readonly MetricValues[]): MetricValues {
  return tabulate((metric, name) => {
    const known = runs.flatMap((values) => values[name] ?? []);
    if (runs.length === 0 || known.length < runs.length) return null;
    return known.reduce((total, value) =>
      metric.ofSeveral === 'largest' ? Math.max(total, value) : total + value,
    );
  });
}

/** The metrics of something that never ran: all unknown. */
export const UNKNOWN_METRICS: MetricValues = tabulate(() => null);

/** Shares are worked out from the metrics that they are shares of. */
function tabulate(valueOf: (metric: Counted, name: MetricName) => number | null): MetricValues {
  const all = Object.entries<Metric>(metrics) as readonly [MetricName, Metric][];
  const counted = new Map<string, number | null>(
    all.flatMap(([name, metric]) =>
      metric.unit === 'ratio' ? [] : [[name, valueOf(metric, name)] as const],
    ),
  );
  const entries = all.map(([name, metric]) => {
    if (metric.unit !== 'ratio') return [name, counted.get(name) ?? null];
    const [part, whole] = metric.shareOf;
    return [name, shareOf(counted.get(part) ?? null, counted.get(whole) ?? null)];
  });
  return Object.fromEntries(entries) as MetricValues;
}
