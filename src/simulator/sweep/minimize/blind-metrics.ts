import { costMetrics } from '../../metrics/cost-metrics.ts';
import type { Counted, Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { tokenMetrics } from '../../metrics/token-metrics.ts';

const AGAINST_CONTROL: readonly string[] = ['tokensSaved', 'costSavedUsd'];

/** The metric of that name, where a run alone tells it of which nobody watched what it missed. */
export function blindMetric(name: MetricName): Counted | undefined {
  const isTold = Object.hasOwn(tokenMetrics, name) || Object.hasOwn(costMetrics, name);
  const metric: Metric = metrics[name];
  return isTold && metric.unit !== 'ratio' && !AGAINST_CONTROL.includes(name) ? metric : undefined;
}
