import type { MetricName, MetricValues } from '../../metrics/metrics.ts';
import type { Gate } from '../../scenario/gate/config.ts';
import type { Compared } from './gates.ts';

/** The metrics of something on both sides. */
export interface BothMetrics {
  readonly baseline: MetricValues;
  readonly now: MetricValues;
}

/** The number that a gate asks for, on both sides. */
export function numbersOf({ metric }: Gate, { baseline, now }: BothMetrics): Compared {
  const name = metric as MetricName;
  return { baseline: baseline[name] ?? null, now: now[name] ?? null };
}
