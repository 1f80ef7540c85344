import { isShare, type Metric, type Share } from '../../metrics/metric.ts';
import { metrics, titleOf } from '../../metrics/metrics.ts';
import { badValue } from '../../bad-value.ts';
import { badOption, type HarnessError } from '../../errors.ts';
import { named, quoted } from '../../names.ts';
import type { Objective } from '../../report/tune/tune-report.ts';

/** Short names of the objectives that are asked for most, with their metric. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cost: 'costUsd',
  regret: 'regretUsd',
  compactions: 'compactions',
  tokens: 'inputTokens',
  latency: 'latencyMs',
};

const known: Readonly<Record<string, Metric>> = metrics;

/** The metrics that have a short name, by it. */
export const shortMetrics: Readonly<Record<string, Metric>> = Object.fromEntries(
  Object.entries(SHORT_NAMES).flatMap(([short, name]) => {
    const metric = known[name];
    return metric === undefined ? [] : [[short, metric]];
  }),
);

/** The own name of a metric that may be given by its short one. */
export function metricNameOf(name: string): string {
  return Object.hasOwn(SHORT_NAMES, name) ? (SHORT_NAMES[name] ?? name) : name;
}

/** The objective of a short name or a metric's own. Throws where neither has it, it is a quotient, or no direction is better. */
export function findObjective(name: string): Objective {
  const metric = named('objective', { ...shortMetrics, ...known }, name);
  const metricName = metricNameOf(name);
  if (isShare(metric)) throw noMean(name, metric);
  const { better } = metric;
  if (better === undefined) {
    throw badValue('--objective', 'metrics of which less or more is better', name);
  }
  return { name, metric: metricName, label: titleOf(metricName), unit: metric.unit, better };
}

/** A quotient is that of sums: the mean of the quotients of sessions would be another number. */
function noMean(name: string, { shareOf }: Share): HarnessError {
  const nearest = shareOf.find((part) => known[part]?.better !== undefined);
  const instead =
    nearest === undefined ? '' : ` The nearest metric that has one is ${quoted(nearest)}.`;
  return badOption(
    `Expected '--objective' to be metrics that have a mean over sessions, got ${quoted(name)}, which is a quotient of two.${instead}`,
  );
}
