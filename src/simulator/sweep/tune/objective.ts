import { HarnessError } from '../../errors.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics, titleOf } from '../../metrics/metrics.ts';
import { named, quoted } from '../../names.ts';
import type { Objective } from '../../report/tune/tune-report.ts';

/** Short names of the objectives that are asked for most, with their metric; less of each is better. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cost: 'costUsd',
  regret: 'regretUsd',
  compactions: 'compactions',
  tokens: 'inputTokens',
  latency: 'latencyMs',
};

/** The objective of a short name or a metric's own. Throws where neither has it, or no direction is better. */
export function findObjective(name: string): Objective {
  const metricName = Object.hasOwn(SHORT_NAMES, name) ? (SHORT_NAMES[name] ?? name) : name;
  const metric = findMetric(metricName, name);
  const better = metric.better ?? (metricName === name && !isShort(name) ? undefined : 'lower');
  if (better === undefined || metric.unit === 'ratio') {
    throw new HarnessError(
      'BAD_OPTION',
      `Expected '--objective' to be amounts of which less or more is better, got ${quoted(name)}.`,
    );
  }
  return { name, metric: metricName, label: titleOf(metricName), unit: metric.unit, better };
}

function isShort(name: string): boolean {
  return Object.hasOwn(SHORT_NAMES, name);
}

function findMetric(metricName: string, name: string): Metric {
  const known: Readonly<Record<string, Metric>> = metrics;
  const short = Object.fromEntries(
    Object.entries(SHORT_NAMES).flatMap(([key, value]) => {
      const metric = known[value];
      return metric === undefined ? [] : [[key, metric]];
    }),
  );
  const table = { ...short, ...known };
  return named('objective', table, Object.hasOwn(known, metricName) ? metricName : name);
}
